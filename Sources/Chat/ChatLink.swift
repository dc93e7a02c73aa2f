import ControlAPI
internal import Letters

/// How the client stands with the daemon: what was asked, what has come.
struct ChatLink: Equatable, Sendable {
    /// What an answer is for.
    enum Asked: Equatable, Sendable {
        case status, follow, positions, conversations, typing, presence
        /// A page of a conversation's history.
        case history(String, ChatConversation.Loading)
        /// Who is in a conversation, page by page, and whether that was a command.
        case members(String, isShown: Bool)
        /// The first text of the outbox.
        case send
        case acknowledge(String)
        /// A message that has changed, or that another one answers.
        case info(conversation: String)
        /// A command that was typed into a conversation.
        case command(SlashCommand, String)
        /// Another text for an own message of a conversation.
        case edit(String, message: String, in: String)
        case transfers
        /// What there is to talk to, for the first screen and for Tab.
        case rooms, people, requests
        /// The passphrase opens the lock.
        case unlock
    }

    enum State: Equatable, Sendable {
        case begun, connecting, connected, lost(String)
        /// The daemon answers, and takes nothing but the passphrase.
        case locked
    }

    /// The first and the longest pause before another attempt to connect, in milliseconds.
    static let pauses: ClosedRange<Int64> = 100...2_000

    var state = State.begun
    var nextAttempt: Int64?
    var pause = ChatLink.pauses.lowerBound
    var lastID: Int64 = 0
    var asked: [Int64: Asked] = [:]
    /// The last change that was dealt with.
    var cursor: Int64?
    /// Whether the daemon is somebody else's, whose group the user is in: what comes to whom is not all for them.
    var isGuest = false
    /// The subscription for what is new.
    var following: Int64?
    /// The conversation to begin with.
    var wanted: String?
    /// The list of conversations while it comes page by page.
    var listing: [ConversationResult] = []
    /// Whether something has changed since that list was asked for.
    var isListingOld = false
    var hasList = false
    /// What is missing of conversations, in a line each; of those alone of which something is.
    var missing: [String: String] = [:]
    /// When the daemon was told last that the user writes.
    var toldTyping: Int64 = 0

    /// Whether the node has a lock, so that nothing typed is to be kept on the disk.
    var hasLock = false

    var isConnected: Bool { self.state == .connected }
}

extension ChatState {
    /// Asks the daemon something.
    @discardableResult
    mutating func ask<Method: ControlMethod>(
        _ method: Method.Type, _ asked: ChatLink.Asked, _ fill: (inout Method.Params) -> Void
    ) -> Bool {
        guard self.link.isConnected else { return false }
        self.put(method, asked, Method.Params(fill))
        return true
    }

    /// Asks it whether it is locked or not.
    mutating func put<Method: ControlMethod>(
        _ method: Method.Type, _ asked: ChatLink.Asked, _ params: Method.Params
    ) {
        self.link.lastID += 1
        self.link.asked[self.link.lastID] = asked
        self.perform(.write(Method.line(id: self.link.lastID, params)))
    }

    mutating func connectWhenDue() {
        switch self.link.state {
        case .begun: break
        case .lost:
            guard let next = self.link.nextAttempt, next <= self.now else { return }
        case .connecting, .connected, .locked: return
        }
        self.link.state = .connecting
        self.link.nextAttempt = nil
        self.perform(.connect)
    }

    mutating func connected() {
        self.link.state = .connected
        self.link.pause = ChatLink.pauses.lowerBound
        self.link.nextAttempt = nil
        self.ask(StatusMethod.self, .status) { _ in }
        self.follow()
        // Of these the daemon keeps the newest of each, so this is how all stand now.
        self.ask(SubscribeMethod.self, .positions) {
            $0.from = 0
            $0.kinds = [.delivery, .peer]
        }
        self.ask(TransfersMethod.self, .transfers) { $0.follow = true }
        self.tellPresenceAgain()
        self.askForConversations()
    }

    /// Subscribes to what is new; who may write to somebody else is not for their guests.
    private mutating func follow() {
        let (cursor, isGuest) = (self.link.cursor, self.link.isGuest)
        self.ask(SubscribeMethod.self, .follow) {
            $0.from = cursor
            $0.kinds = [
                .message, .conversation, .alert, .deleted, .edited, .reaction, .delivery, .peer,
                .typing, .presence, .members, .missing, .list, .person, .roster,
            ]
            if !isGuest { $0.kinds?.append(.request) }
        }
    }

    /// Asks for the list of conversations, behind the one that is coming where one is: pages of two would
    /// be taken for one list, and conversations that are in neither half of it would go.
    mutating func askForConversations() {
        self.link.isListingOld = self.link.asked.values.contains(.conversations)
        guard !self.link.isListingOld else { return }
        self.link.listing = []
        self.askForConversations(after: nil)
    }

    private mutating func askForConversations(after place: String?) {
        self.ask(ConversationsMethod.self, .conversations) {
            $0.limit = Int64(ControlLimits.pageItems)
            $0.after = place
        }
    }

    mutating func lost(_ why: String) {
        for (_, asked) in self.link.asked.sorted(by: { $0.key < $1.key }) {
            switch asked {
            case .command, .edit: self.undone(asked, why)
            case .members(let id, let isShown):
                self.with(id) { $0.hasMembers = false }
                if isShown { self.undone(asked, why) }
            case .status, .follow, .positions, .conversations, .typing, .presence, .history,
                .send, .acknowledge, .info, .transfers, .rooms, .people, .requests:
                break
            case .unlock: self.notice = nil
            }
        }
        (self.around.stale, self.around.due) = (Set(ChangedListWord.allCases), self.now)
        self.link.asked = [:]
        // Who writes and what is missing is told anew by the next connection.
        for place in self.conversations.indices { self.conversations[place].typing = [:] }
        self.link.missing = [:]
        self.link.following = nil
        self.link.state = .lost(why)
        self.link.nextAttempt = self.now + self.link.pause
        self.link.pause = min(self.link.pause * 2, ChatLink.pauses.upperBound)
        self.outbox.isSending = false
        for place in self.conversations.indices { self.conversations[place].loading = nil }
    }

    mutating func received(_ message: ServerMessage) {
        switch message {
        case .notification(let request): self.notified(ServerEvent(request))
        case .response(let response):
            guard case .integer(let id) = response.id,
                let asked = self.link.asked.removeValue(forKey: id)
            else { return }
            switch response.outcome {
            case .result(let result): self.answered(asked, result)
            case .failure(let error): self.refused(asked, error)
            }
        }
    }

    private mutating func answered(_ asked: ChatLink.Asked, _ result: JSON) {
        switch asked {
        case .status:
            let status = StatusMethod.Result(reading: result)
            self.link.hasLock = status.lock != nil
            guard status.lock != .locked else { return self.locked() }
            self.unlocked()
            self.own = (status.id, status.name.shown)
            self.takeLeft()
        case .follow:
            let subscribed = SubscribeMethod.Result(reading: result)
            self.link.following = subscribed.subscription
            if self.link.cursor == nil { self.link.cursor = subscribed.cursor }
        case .conversations: self.listed(.init(reading: result))
        case .positions, .typing, .acknowledge, .edit: break
        case .unlock: self.notice = "unlocked"
        case .presence: self.stands(presence: .init(reading: result))
        case .history(let id, let what): self.loaded(.init(reading: result), of: id, what)
        case .members(let id, let isShown):
            self.learned(.init(reading: result), of: id, isShown: isShown)
        case .send: self.sent(.init(reading: result))
        case .info(let id): self.informed(.init(reading: result), in: id)
        case .command(let command, let id): self.done(command, result, in: id)
        case .rooms: self.around.rooms = RoomsMethod.Result(reading: result).items
        case .people: self.around.people = PeersMethod.Result(reading: result).items
        case .requests: self.around.requests = RequestsMethod.Result(reading: result).items
        case .transfers:
            self.transfers.take(list: TransfersMethod.Result(reading: result).items)
        }
    }

    private mutating func refused(_ asked: ChatLink.Asked, _ error: RPCError) {
        switch asked {
        case .send: self.refusedToSend(error)
        case .history(let id, let what):
            self.notice = Self.text(error)
            self.with(id) { $0.refused(what) }
        case .members(_, let isShown): if isShown { self.undone(asked, Self.text(error)) }
        case .command(let command, let id) where self.offerKey(for: command, error, in: id): break
        case .command, .edit: self.undone(asked, Self.text(error))
        case .info(let id): self.with(id) { if !$0.stale.isEmpty { $0.stale.removeFirst() } }
        case .follow where error.reason == "ownerOnly" && !self.link.isGuest:
            self.link.isGuest = true
            self.follow()
        case .status, .follow, .positions, .conversations, .transfers, .unlock:
            self.notice = Self.text(error)
        case .typing, .presence, .acknowledge, .rooms, .people, .requests: break
        }
    }

    /// Says why something typed was not done, and gives it back.
    private mutating func undone(_ asked: ChatLink.Asked, _ why: String) {
        switch asked {
        case .command(let command, let id):
            self.note("/\(command.name): \(why)", isFault: true, in: id)
            // A bare word is typed again when it is wanted: done already, it would be done twice.
            if !command.isOfMessage, !command.rest.isEmpty {
                self.putBack(command.line, in: id)
            }
        case .edit(let text, let message, let id):
            self.note("/\(SlashCommand.Name.edit): \(why)", isFault: true, in: id)
            self.putBack(SlashCommand.typed(text), in: id) { $0.aiming.editing = message }
        case .members(let id, _):
            self.note("/\(SlashCommand.Name.who): \(why)", isFault: true, in: id)
        case .status, .follow, .positions, .conversations, .typing, .presence, .history, .send,
            .acknowledge, .info, .transfers, .rooms, .people, .requests, .unlock:
            break
        }
    }

    /// Gives a command back with the key of the only person whom its name may mean, for the user to confirm;
    /// false where there is no such person.
    private mutating func offerKey(
        for command: SlashCommand, _ error: RPCError, in id: String
    ) -> Bool {
        let people = error.candidates
        guard error.reason == "stranger", people.count == 1, let name = error.name,
            let key = people.first?.id.shortKey, let place = command.rest.firstRange(of: name)
        else { return false }
        let shown = ShownPerson.safe(people.first?.name ?? "")
        self.note(
            "/\(command.name): \(shown) \(key) is not a contact of yours, and anyone can take a name; "
                + "if you mean this key, press Enter", isFault: true, in: id)
        var rest = command.rest
        rest.replaceSubrange(place, with: key)
        self.putBack(SlashCommand(name: command.name, rest: rest).line, in: id)
        return true
    }

    /// Gives a text back to be changed and sent again: into the line, or among what was typed before
    /// where something else stands in it, or the conversation is gone.
    mutating func putBack(
        _ text: String, in id: String, _ begin: (inout ChatConversation) -> Void = { _ in }
    ) {
        func put(_ conversation: inout ChatConversation) {
            // While another message is changed or answered, what stands in the line is for that one.
            guard conversation.input.isEmpty, conversation.aiming.editing == nil,
                conversation.aiming.replying == nil
            else { return conversation.input.keep(text) }
            conversation.input.set(text)
            begin(&conversation)
        }
        if id == self.current {
            put(&self.shown)
        } else if self.place(of: id) != nil {
            self.with(id, put)
        } else {
            // In the line of another one it would be sent there.
            self.shown.input.keep(text)
        }
    }

    /// Why, and what to do, in one line.
    static func text(_ error: RPCError) -> String {
        // Here messages are chosen, not named.
        let help =
            error.reason == "unknownMessage"
            ? "choose another message with Alt-Up" : error.remedy.map(ChatRemedy.text)
        let remedy = help.map { "; " + TerminalText.line($0) } ?? ""
        let candidates = error.reason == "severalRooms" ? [] : error.candidates
        let keys = candidates.prefix(8).map { "\($0.id.shortKey) \(ShownPerson.safe($0.name))" }
        return TerminalText.line(error.message) + remedy
            + (keys.isEmpty ? "" : "; by key: " + keys.joined(separator: ", "))
    }

    /// Takes a page of the list of conversations; enters one with the last of them.
    private mutating func listed(_ page: ConversationsMethod.Result) {
        self.link.listing += page.items.filter { !$0.id.isEmpty }
        if let next = page.next, !page.items.isEmpty {
            return self.askForConversations(after: next)
        }
        let all = self.link.listing
        self.link.listing = []
        self.link.hasList = true
        let ids = Set(all.map(\.id))
        // What is being typed or sent stays, whatever becomes of the conversation.
        let outbox = self.outbox
        self.conversations.removeAll {
            !ids.contains($0.id) && $0.input.isEmpty && !outbox.hasUnsent(for: $0.id)
        }
        if self.place(of: self.current) == nil { self.current = "" }
        for listed in all {
            if self.place(of: listed.id) == nil { self.conversations.append(ChatConversation()) }
            let place = self.place(of: listed.id) ?? self.conversations.count - 1
            self.conversations[place].update(listed)
        }
        self.conversations.sort { ($0.isDirect ? 1 : 0, $0.name) < ($1.isDirect ? 1 : 0, $1.name) }
        self.enterWanted()
        self.placeDrafts()
        if self.link.isListingOld { self.askForConversations() }
    }

    /// Enters the conversation that was asked for, once it is in the list; at first any.
    mutating func enterWanted() {
        if let wanted = self.link.wanted {
            if let found = self.conversation(called: wanted) {
                self.link.wanted = nil
                self.enter(found.id)
            }
        }
        guard self.current.isEmpty, let first = self.listed.first else { return }
        let waiting = self.listed.first(where: \.isCalling) ?? self.listed.first { $0.unread > 0 }
        self.enter((waiting ?? first).id)
    }

    /// A conversation by what people call it.
    func conversation(called text: String) -> ChatConversation? {
        let lower = text.sought
        return self.conversations.first { $0.id == text || $0.name.sought == lower }
            ?? self.conversations.first {
                text.hasPrefix("@") && $0.isDirect && $0.name.sought.begins(with: lower)
            }
            ?? self.conversations.first {
                $0.person?.hasPrefix(lower.dropFirst()) == true && text.count > 8
            }
    }
}
