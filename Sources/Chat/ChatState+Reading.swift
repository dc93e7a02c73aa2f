import ControlAPI

/// What of a conversation was seen: the user begins at the first message that was not, and what counts as
/// read is what was on the screen.
extension ChatConversation {
    /// Takes a page of messages: those behind what the daemon has as read wait to be seen.
    mutating func expect(_ page: [ChatMessage], own: String) {
        for message in page
        where message.isUnread(by: own) && message.cursor > self.reading.readThrough {
            if self.reading.seen[message.id] == nil {
                self.reading.unseen[message.id] = message.cursor
            }
        }
    }

    /// Finds out which messages are unread, by their number: those that came last.
    ///
    /// Gives false where older ones than are loaded must be among them.
    mutating func findUnread(own: String) -> Bool {
        let said = self.scrollback.messages.filter { $0.isUnread(by: own) }
        let unread = said.map(\.cursor).sorted(by: >).prefix(Int(clamping: self.unread))
        self.reading.readThrough = max(
            self.reading.acknowledged, (unread.last ?? said.map(\.cursor).max() ?? 1) - 1)
        if unread.isEmpty {
            self.reading.readThrough = max(self.reading.readThrough, said.map(\.cursor).max() ?? 0)
        }
        (self.reading.unseen, self.reading.seen) = ([:], [:])
        self.expect(said, own: own)
        self.reading.firstUnread = self.firstUnseen
        return unread.count >= self.unread || !self.scrollback.hasOlder
            || self.scrollback.messages.count >= Self.unreadMessages
    }

    /// How many messages are loaded at most to find the first that was not read.
    private static let unreadMessages = Scrollback.countLimit - 1_000

    /// The first message, in display order, that was not on the screen yet.
    var firstUnseen: String? {
        guard !self.reading.unseen.isEmpty else { return nil }
        return self.scrollback.messages.first { self.reading.unseen[$0.id] != nil }?.id
    }

    /// Messages were on the screen, and somebody looked.
    mutating func see(_ messages: some Sequence<ChatMessage>) {
        for message in messages {
            guard let cursor = self.reading.unseen.removeValue(forKey: message.id) else { continue }
            // What came late stands among older ones, and says nothing of what is below and not loaded.
            if !(message.isLate && self.scrollback.hasNewer) {
                self.reading.seen[message.id] = cursor
            }
        }
    }

    /// Up to where all that is here was seen, by arrival; nil where that is no further than the daemon knows.
    var seenThrough: Int64? {
        let last: Int64?
        if let first = self.reading.unseen.values.min() {
            last = self.reading.seen.values.filter { $0 < first }.max()
        } else if self.scrollback.hasNewer {
            last = self.reading.seen.values.max()
        } else {
            // The newest by arrival is near the end.
            last = self.scrollback.messages.suffix(100).map(\.cursor).max()
        }
        guard let last, last > 0 else { return nil }
        // Where the daemon counts some still, though nothing here is left to be seen, it is told again.
        let isOver = self.reading.unseen.isEmpty && self.isAtEnd && self.unread > 0
        return last > self.reading.acknowledged || isOver ? last : nil
    }

    /// The daemon has been told.
    mutating func tell(readThrough cursor: Int64) {
        self.reading.acknowledged = cursor
        self.reading.readThrough = max(self.reading.readThrough, cursor)
        self.reading.seen = self.reading.seen.filter { $0.value > cursor }
        guard self.reading.unseen.isEmpty, !self.scrollback.hasNewer else { return }
        (self.unread, self.mentions, self.reading.missedBelow) = (0, 0, 0)
    }
}

extension ChatMessage {
    /// Whether it counts as unread until the user has seen it.
    func isUnread(by own: String) -> Bool {
        self.isSaid && self.author != own && !self.isOfUser
    }
}

extension ChatState {
    /// Goes on once a page is there: to the first unread message where the conversation was just entered.
    mutating func begin(at place: Int) {
        let own = self.own.id
        let isKnown = self.conversations[place].findUnread(own: own)
        self.conversations[place].reading.isSeekingUnread = !isKnown
        guard isKnown, self.conversations[place].reading.isEntered else { return }
        self.conversations[place].reading.isEntered = false
        if self.conversations[place].id == self.current { self.goToUnread() }
    }

    /// Shows the first message that was not seen at the top, and below it as many as there is room for.
    mutating func goToUnread() {
        guard let first = self.shown.firstUnseen else {
            guard self.shown.unread > 0, self.shown.loading == nil else { return }
            // They are not loaded.
            self.shown.forget()
            return self.shown.reading.isEntered = true
        }
        self.shown.reading.firstUnread = first
        self.shown.anchor = .init(id: first)
        self.scroll(max(0, self.areas.messages - 3))
    }

    /// Chooses the next message that calls the user: after the chosen one, else the first that was not seen.
    mutating func goToMention() {
        let messages = self.shown.scrollback.messages
        let start =
            self.shown.aiming.selected.flatMap { self.shown.scrollback.index(of: $0) }.map {
                $0 + 1
            }
            ?? self.shown.firstUnseen.flatMap { self.shown.scrollback.index(of: $0) } ?? 0
        let calls = messages.indices.filter { messages[$0].isMention && !messages[$0].isErased }
        guard let place = calls.first(where: { $0 >= start }) ?? calls.first else {
            return self.notice = "no mentions of you are loaded here"
        }
        self.look(at: messages[place].id, in: self.current)
    }

    /// The cursor through which the user has read, if the daemon has yet to be told; nil otherwise.
    var newlyRead: Int64? {
        guard self.link.isConnected, self.isReading, let place = self.place(of: self.current)
        else { return nil }
        let shown = self.conversations[place]
        guard !shown.reading.isSeekingUnread, !shown.reading.isEntered, shown.loading == nil,
            !self.link.asked.values.contains(.acknowledge(shown.id))
        else { return nil }
        return shown.seenThrough
    }

    /// Takes all that has come, in every conversation, as read.
    mutating func readAll() {
        guard self.link.isConnected, let cursor = self.link.cursor else {
            return self.notice = "no daemon: nothing is marked"
        }
        let unread = self.conversations.filter { $0.unread > 0 }
        for conversation in unread {
            self.ask(AcknowledgeMethod.self, .acknowledge(conversation.id)) {
                ($0.conversation, $0.cursor) = (conversation.id, cursor)
            }
            self.with(conversation.id) {
                ($0.reading.unseen, $0.reading.firstUnread) = ([:], nil)
                $0.tell(readThrough: cursor)
                ($0.unread, $0.mentions) = (0, 0)
            }
        }
        self.notice =
            unread.isEmpty
            ? "everything is read" : "marked as read: \(unread.map(\.name).joined(separator: ", "))"
    }

    /// Tells the daemon what a person has seen.
    mutating func acknowledge() {
        guard let cursor = self.newlyRead else { return }
        let id = self.current
        let isAsked = self.ask(AcknowledgeMethod.self, .acknowledge(id)) {
            ($0.conversation, $0.cursor) = (id, cursor)
        }
        if isAsked { self.shown.tell(readThrough: cursor) }
    }
}
