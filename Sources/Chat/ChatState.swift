package import ControlAPI

/// What happens to the client.
package enum ChatEvent: Sendable {
    /// Keys were pressed.
    case keys([KeyPress])
    /// The terminal has so many cells.
    case resized(columns: Int, rows: Int)
    /// The screen is drawn as for xterm, since nothing is known about a terminal with that name.
    case unknownTerminal(String)
    /// There is a connection to the daemon.
    case connected
    /// There is none any longer, or none could be made.
    case lost(String)
    /// The daemon has said something.
    case received(ServerMessage)
    /// A command that was started has ended, and this is what it printed.
    case ended(id: Int64, code: Int32, output: String)
    /// The names in a folder, those of folders with a slash.
    case names([String], folder: String)
    /// The user's editor has ended: the text, or why there is none.
    case edited(String?, why: String)
    /// The moment that was asked for has come.
    case due
    /// The client ends, for whatever reason; nothing is given after this.
    case ending
}

/// What the client wants done.
package enum ChatEffect: Equatable, Sendable {
    /// Write a line to the daemon.
    case write([UInt8])
    /// Connect to the daemon.
    case connect
    /// Run `stoa` with these arguments, and say when it has ended.
    case run(id: Int64, arguments: [String])
    /// Open a link in the user's browser, and say when that has ended.
    case open(id: Int64, link: String)
    /// Show lines without the screen until a key is pressed: to be copied, or since they are secret.
    case showAlone([String])
    /// Give the names in a folder.
    case names(folder: String)
    /// Ring the terminal's bell.
    case ring
    /// Let the user change a text with their editor, and say what became of it.
    case edit(String)
    /// Draw all of the screen again, since another program may have written on it.
    case redraw
    /// Give the terminal back until the shell lets the program go on.
    case stop
    /// End.
    case quit
}

/// The whole client as a value: what is known, what is typed, what is on the screen.
///
/// It decides everything and does nothing: a shell hands in what happens, does what it wants done, and
/// draws ``frame()``.
package struct ChatState: Sendable {
    /// Moments in the time zone of the user.
    package struct LocalFields: Equatable, Sendable {
        package var year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int
        /// The day of the week, 0 for Sunday.
        package var weekday: Int

        package init(
            year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int, weekday: Int
        ) {
            (self.year, self.month, self.day) = (year, month, day)
            (self.hour, self.minute, self.second) = (hour, minute, second)
            self.weekday = weekday
        }
    }

    /// All conversations that lists show, as they are shown.
    var conversations: [ChatConversation] = []
    /// The id of the one that is looked at, and of the one before.
    var view = (current: "", last: "")
    var link = ChatLink()
    var outbox = ChatOutbox()
    var completion = ChatCompletion()
    var transfers = ChatTransfers()
    var size = (columns: 80, rows: 24)
    /// Who the user is: device and name.
    var own = (id: "", name: "")
    /// Which of the people whom the user knows are linked.
    var linked: [String: Bool] = [:]
    /// Whether people say that they are there, away or gone.
    var presence: [String: PresenceWord] = [:]
    var ownPresence = OwnPresence()
    /// What stands in the line above the input until the next key.
    var notice: String?
    var layouts = LayoutCache()
    /// Whom and what there is to talk to.
    var around = ChatSurroundings()
    /// The moment of the event that is dealt with: by a clock that nobody sets, and since 1970.
    var now: Int64 = 0
    var wall: Int64 = 0
    /// The conversations for which programs run, by the ids of the programs.
    var programs: [Int64: String] = [:]
    /// What was typed before any conversation was there.
    var empty = ChatConversation()
    /// What an earlier chat has left, until it is known who the user is.
    var left = SavedChat()
    /// Drafts of conversations that are not listed yet.
    var drafts: [SavedChat.Draft] = []
    /// Whether what is not sent outlives the client, as its shell says.
    package var keepsUnsent = false
    /// What is being typed without being shown; nil where nothing was asked for.
    var unseen: UnseenText?
    let localTime: @Sendable (Int64) -> LocalFields
    private var effects: [ChatEffect] = []
    var notes = 0

    /// Begins; the first event is `.resized`, and it asks for a connection at once.
    ///
    /// - Parameters:
    ///   - to: the conversation to begin with, as it is written; nil for the first that waits.
    ///   - run: makes the keys of this run its own.
    ///   - localTime: a moment in the user's time zone.
    package init(
        to: String?, run: Int64, localTime: @escaping @Sendable (Int64) -> LocalFields
    ) {
        self.localTime = localTime
        self.link.wanted = to
        self.outbox.run = run
    }

    /// Takes what has happened; gives what is to be done about it, in order.
    ///
    /// - Parameters:
    ///   - now: milliseconds by a clock that never goes back, by which ``nextDue`` is told, too.
    ///   - wall: milliseconds since 1970.
    package mutating func handle(_ event: ChatEvent, at now: Int64, wall: Int64) -> [ChatEffect] {
        (self.now, self.wall) = (now, wall)
        switch event {
        case .keys(let keys):
            self.isHere()
            for key in keys { self.press(key) }
        case .resized(let columns, let rows):
            self.size = (max(1, columns), max(1, rows))
            self.isHere()
            self.layouts = LayoutCache()
        case .unknownTerminal(let name):
            self.notice = "TERM=\(name) is unknown here: drawn as for xterm-256color"
        case .connected: self.connected()
        case .lost(let why): self.lost(why)
        case .received(let message): self.received(message)
        case .ended(let id, let code, let output): self.ended(id, code, output)
        case .names(let names, let folder): self.offer(names, in: folder)
        case .edited(let text, let why): self.edited(text, why)
        case .due: break
        case .ending:
            // Nothing is begun here that nobody would see the end of.
            self.takeBackIdle()
            defer { self.effects = [] }
            return self.effects
        }
        self.connectWhenDue()
        self.tellPresenceWhenDue()
        self.sendOutbox()
        self.lookAround()
        self.loadWhatIsMissing()
        defer { self.effects = [] }
        return self.effects
    }

    /// When `.due` is to be given next; nil for never.
    package var nextDue: Int64? {
        let send = self.outbox.next != nil && self.outbox.pausedUntil > self.now
        return [
            self.link.nextAttempt, self.newlyRead != nil ? self.now : nil,
            send ? self.outbox.pausedUntil : nil,
            self.link.isConnected ? self.ownPresence.due : nil,
            self.nextLook,
        ].compactMap(\.self).min()
    }

    /// What was typed and not sent, oldest first.
    package var unsent: [String] {
        (self.outbox.unsent.map(\.typed)
            + ([self.empty] + self.conversations).map(\.input.text).filter { !$0.isEmpty }
            + self.drafts.map(\.text))
            .map(TypedInvitation.hidden)
    }

    mutating func perform(_ effect: ChatEffect) { self.effects.append(effect) }

    // MARK: The conversation that is looked at

    var current: String {
        get { self.view.current }
        set { self.view.current = newValue }
    }

    func place(of id: String) -> Int? { self.conversations.firstIndex { $0.id == id } }

    /// The one that is looked at; an empty one where there is none.
    var shown: ChatConversation {
        get { self.place(of: self.current).map { self.conversations[$0] } ?? self.empty }
        _modify {
            if let place = self.place(of: self.current) {
                yield &self.conversations[place]
            } else {
                yield &self.empty
            }
        }
    }

    /// Changes a conversation, where it is there.
    mutating func with(_ id: String, _ body: (inout ChatConversation) -> Void) {
        guard let place = self.place(of: id) else { return }
        body(&self.conversations[place])
    }

    /// Looks at another one.
    mutating func enter(_ id: String) {
        guard self.place(of: id) != nil, id != self.current else { return }
        if self.current.isEmpty, !self.empty.input.isEmpty {
            // What was typed before the daemon answered goes where it was meant.
            let typed = self.empty.input
            self.with(id) { $0.input = typed }
            self.empty.input = InputLine()
        }
        self.with(self.current) {
            $0.reading.firstUnread = nil
            $0.aiming.selected = nil
            $0.goal = nil
        }
        // What is not looked at need not be kept: it is asked for again.
        let old = self.current
        self.view = (id, old)
        self.shown.reading.isEntered = true
        if !self.shown.scrollback.messages.allSatisfy(\.isNote) {
            self.shown.reading.isEntered = false
            if self.shown.firstUnseen != nil { self.goToUnread() }
        }
        self.with(old) { if $0.isAtEnd == false || $0.scrollback.bytes > 1 << 20 { $0.forget() } }
        // What was said while the list came stays until a key.
        if !old.isEmpty { self.notice = nil }
    }

    /// One step on in the list, around its end.
    mutating func enterNext(_ step: Int) {
        let shown = self.listed
        guard !shown.isEmpty else { return }
        let place = shown.firstIndex { $0.id == self.current } ?? 0
        self.enter(shown[(place + step + shown.count) % shown.count].id)
    }

    /// The next that calls, else the next with something unread.
    mutating func enterWaiting() {
        let others = self.listed.filter { $0.id != self.current }
        let next =
            others.first(where: \.isCalling) ?? others.first { $0.unread > 0 && !$0.isMuted }
        if let next { self.enter(next.id) }
    }

    /// Those that lists show, in their order: of those that are put away whatever asks for attention.
    var listed: [ChatConversation] {
        self.conversations.filter { !$0.isArchived || $0.isCalling || $0.id == self.current }
    }

    /// Says something in a conversation, where it is there, else in the one that is looked at.
    mutating func note(_ text: String, isFault: Bool = false, in id: String? = nil) {
        self.notes += 1
        let message = ChatMessage(
            note: text, isFault: isFault, id: "note \(self.notes)", time: self.wall)
        let isElsewhere = id.map { $0 != self.current && self.place(of: $0) != nil } ?? false
        // Among what was said long ago nobody would see it.
        if !isElsewhere { self.scrollToEnd() }
        func add(_ conversation: inout ChatConversation) {
            conversation.scrollback.append(message)
            conversation.scrollback.trim(keepingOldest: conversation.anchor != nil)
        }
        if let id, isElsewhere { self.with(id, add) } else { add(&self.shown) }
    }
}

extension ChatConversation {
    /// Asks for a page that was refused no more: the same would be refused again, without end.
    mutating func refused(_ what: Loading) {
        self.loading = nil
        switch what {
        case .newest, .older: self.scrollback.hasOlder = false
        case .newer: self.forget()
        case .around: if !self.stale.isEmpty { self.stale.removeFirst() }
        case .goal: self.goal = nil
        }
    }

    /// Lets go of what was loaded.
    mutating func forget() {
        self.scrollback = Scrollback()
        (self.anchor, self.reading.missedBelow, self.loading) = (nil, 0, nil)
        (self.stale, self.goal, self.aiming.selected) = ([], nil, nil)
        (self.reading.unseen, self.reading.isSeekingUnread) = ([:], false)
    }
}
