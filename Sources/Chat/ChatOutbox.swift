import ControlAPI

/// What was sent from here and the daemon has not shown yet.
///
/// One text at a time is under way. Each has a key, so that it may be given to the daemon again without
/// being sent twice.
struct ChatOutbox: Equatable, Sendable {
    struct Item: Equatable, Sendable {
        var conversation: String
        var text: String
        var isAction: Bool
        var replyTo: String?
        var key: String
        /// Its id, once the daemon has taken it.
        var id: String?

        /// What is typed to send the same.
        var typed: String {
            self.isAction
                ? SlashCommand(name: .me, rest: self.text).line : SlashCommand.typed(self.text)
        }
    }

    var items: [Item] = []
    var isSending = false
    /// Until when the daemon is left alone, since it has too much in hand.
    var pausedUntil: Int64 = 0
    /// Whether the person has asked to end before all is sent.
    var mayBeLost = false
    var run: Int64 = 0
    private(set) var made = 0

    mutating func add(_ text: String, to conversation: String, isAction: Bool, replyTo: String?) {
        self.made += 1
        // Of this one the person has not been told when they wanted to end.
        self.mayBeLost = false
        self.items.append(
            Item(
                conversation: conversation, text: text, isAction: isAction, replyTo: replyTo,
                key: "chat-\(self.run)-\(self.made)"))
    }

    /// Lines that an earlier chat has left, before all that was entered since.
    mutating func restore(_ lines: [SavedChat.Line]) {
        let items = lines.map {
            Item(
                conversation: $0.to, text: $0.text, isAction: $0.isAction, replyTo: $0.replyTo,
                key: $0.key)
        }
        // The first is what the next answer is for.
        self.items.insert(contentsOf: items, at: self.isSending ? (self.next ?? -1) + 1 : 0)
    }

    /// The first that the daemon has not taken.
    var next: Int? { self.items.firstIndex { $0.id == nil } }

    /// Those that the daemon has not taken, oldest first.
    var unsent: [Item] { self.items.filter { $0.id == nil } }

    /// Whether something for a conversation is among them.
    func hasUnsent(for conversation: String) -> Bool {
        self.items.contains { $0.id == nil && $0.conversation == conversation }
    }

    /// What is shown beneath a conversation.
    func shown(in conversation: String) -> [Item] {
        self.items.filter { $0.conversation == conversation }
    }

    /// The daemon shows a message: it waits no longer.
    mutating func confirm(_ id: String) { self.items.removeAll { $0.id == id } }
}

extension ChatState {
    mutating func sendOutbox() {
        guard self.link.isConnected, !self.outbox.isSending, self.outbox.pausedUntil <= self.now,
            let place = self.outbox.next
        else {
            return
        }
        let item = self.outbox.items[place]
        self.outbox.isSending = true
        self.ask(SendMethod.self, .send) {
            $0.to = item.conversation
            $0.text = item.text
            $0.kind = item.isAction ? .action : nil
            $0.replyTo = item.replyTo
            $0.idempotencyKey = item.key
        }
    }

    mutating func sent(_ result: SendMethod.Result) {
        self.outbox.isSending = false
        let id = result.id
        guard let place = self.outbox.next, !id.isEmpty else { return }
        let item = self.outbox.items[place]
        if self.place(of: item.conversation).map({
            self.conversations[$0].scrollback[id] != nil
                || self.conversations[$0].scrollback.hasNewer
        }) ?? true {
            self.outbox.items.remove(at: place)
        } else {
            self.outbox.items[place].id = id
        }
        if let waits = result.waits { self.notice = Self.text(of: waits) }
        if result.shutOut == true {
            self.notice =
                "peers refuse this daemon because its identity is in use elsewhere: see /status"
        }
    }

    mutating func refusedToSend(_ error: RPCError) {
        self.outbox.isSending = false
        guard let place = self.outbox.next else { return }
        switch error.knownCode {
        // The same again, once there is another connection, or in a moment.
        case .busy, .shuttingDown, .overflow, .locked:
            self.notice = "not sent yet: " + Self.text(error)
            self.outbox.pausedUntil = self.now + ChatLink.pauses.upperBound
        default:
            let item = self.outbox.items.remove(at: place)
            self.note("not sent: \(Self.text(error))", isFault: true, in: item.conversation)
            self.putBack(item.typed, in: item.conversation) { $0.aiming.replying = item.replyTo }
        }
    }
}
