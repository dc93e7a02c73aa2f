package import ControlAPI
package import ControlClient

/// What happens to the notifier.
package enum NotifierEvent: Sendable {
    /// There is a connection to the daemon.
    case connected
    /// There is none any longer, or none could be made.
    case lost
    /// The daemon has said something.
    case received(ServerMessage)
    /// The person has closed a notification.
    case dismissed(tag: String)
    /// The moment that was asked for has come.
    case due
}

/// What the notifier wants done.
package enum NotifierEffect: Equatable, Sendable {
    /// Write a line to the daemon.
    case write([UInt8])
    /// Connect to the daemon.
    case connect
    /// Show a notification, in the place of the one with the same tag.
    case show(tag: String, DesktopNote)
    /// Take the notification with this tag away, where it stands.
    case close(tag: String)
}

/// What a notification says.
package struct DesktopNote: Equatable, Sendable {
    /// What comes first: of whom, or where.
    package var title: String
    /// The rest, in plain text.
    package var text: String
    /// Whether it is to stay until it is closed.
    package var isUrgent = false
}

/// Decides of what a person is told at their desktop: what is for them alone, what calls them, who wants to
/// write to them, and alerts.
///
/// A value: a shell hands in what happens and does what it wants done. Times are milliseconds by a clock
/// that never goes back.
package struct NotifierState: Sendable {
    private struct Conversation: Equatable, Sendable {
        var name = ""
        var isDirect = false
        var isSecret = false
        var isMuted = false
    }

    /// What stands on the desktop for one conversation.
    private struct Shown: Equatable, Sendable {
        var count = 0
        var last = ""
        var title = ""
        var text = ""
    }

    private enum Asked: Equatable, Sendable { case follow, conversations, requests }

    /// Until when nothing is shown of what was held back.
    private struct Held: Equatable, Sendable {
        var until: Int64
        /// The hours that end then; nil where the desktop is looked at again.
        var hours: QuietHours?

        /// A machine that slept has not counted the time down, so the clock on the wall counts, too.
        func isOver(at now: Int64, minute: Int) -> Bool {
            self.until <= now || self.hours?.contains(minute) == false
        }
    }

    /// The tag of what was missed.
    package static let missed = "missed"
    /// The longest text that is shown, in scalars: one character may have any number of marks.
    private static let textScalars = 200
    /// How many cells of a title somebody takes: desktops cut its end, where the key and ✓ would be.
    private static let titleColumns = 32
    /// The first and the longest pause before another attempt to connect, in milliseconds.
    private static let pauses: ClosedRange<Int64> = 200...60_000
    /// How many messages wait for their conversation to be known.
    private static let earlyLimit = 32
    /// How long it waits before it looks again whether the desktop may be disturbed, in milliseconds.
    private static let inhibitedMilliseconds: Int64 = 60_000

    private var conversations: [String: Conversation] = [:]
    private var shown: [String: Shown] = [:]
    private var asked: [Int64: Asked] = [:]
    private var lastID: Int64 = 0
    private var cursor: Int64?
    private var pause = NotifierState.pauses.lowerBound
    private var nextAttempt: Int64? = 0
    private var isConnected = false
    /// Whether the next lists are to be told of: at log-in, and after quiet hours.
    private var wantsSummary = true
    /// Nil where nothing was held back.
    private var held: Held?
    /// Whether something has changed since the list of conversations was asked for.
    private var isListOld = false
    private var unread: [String: (unread: Int64, mentions: Int64)] = [:]
    private var waiting = 0
    /// Messages of conversations of which nothing is known yet.
    private var early: [MessageResult] = []
    private var effects: [NotifierEffect] = []

    /// Begins; the first event is `.due`.
    package init() {}

    /// When `.due` is to be given next; nil for never.
    package var nextDue: Int64? {
        // Without the daemon there is nobody to ask what was missed.
        [self.nextAttempt, self.isConnected ? self.held?.until : nil].compactMap(\.self).min()
    }

    /// Takes what has happened; gives what is to be done about it, in order.
    ///
    /// - Parameters:
    ///   - now: milliseconds by the clock of ``nextDue``.
    ///   - minute: the minute of the day in the user's time zone.
    ///   - settings: asked for at most once, and only where something is to be shown or told of: reading
    ///     them costs, and may start the desktop's server.
    package mutating func handle(
        _ event: NotifierEvent, at now: Int64, minute: Int,
        _ settings: @autoclosure () -> NotifierSettings
    ) -> [NotifierEffect] {
        var read: Wishes?
        func wishes() -> Wishes {
            let known = read ?? Wishes(settings(), minute)
            read = known
            return known
        }
        switch event {
        case .connected: self.connect()
        case .lost:
            self.isConnected = false
            (self.asked, self.isListOld) = ([:], false)
            self.nextAttempt = now + self.pause
            self.pause = min(self.pause * 2, Self.pauses.upperBound)
        case .received(.response(let response)): self.answered(response, wishes)
        case .received(.notification(let request)): self.notified(ServerEvent(request), wishes)
        case .dismissed(let tag): self.shown[tag] = nil
        case .due:
            if let next = self.nextAttempt, next <= now, !self.isConnected {
                self.nextAttempt = nil
                self.effects.append(.connect)
            }
        }
        if self.isConnected, self.held?.isOver(at: now, minute: minute) == true {
            self.held = nil
            if wishes().isQuiet {
                self.hold(now, minute, wishes())
            } else {
                self.wantsSummary = true
                self.askForConversations()
                self.askForRequests()
            }
        }
        if self.effects.contains(where: \.isShow), wishes().isQuiet {
            // What was to be shown is told of when it may be.
            self.effects.removeAll(where: \.isShow)
            self.hold(now, minute, wishes())
        }
        defer { self.effects = [] }
        return self.effects
    }

    private mutating func hold(_ now: Int64, _ minute: Int, _ wishes: Wishes) {
        guard self.held == nil else { return }
        self.held = Held(
            until: now
                + (wishes.hours.map { Int64($0.minutesLeft(at: minute)) * 60_000 }
                    ?? Self.inhibitedMilliseconds),
            hours: wishes.hours)
    }

    // MARK: The daemon

    private mutating func ask<Method: ControlMethod>(
        _ method: Method.Type, _ asked: Asked, _ fill: (inout Method.Params) -> Void
    ) {
        self.lastID += 1
        self.asked[self.lastID] = asked
        self.effects.append(.write(Method.line(id: self.lastID, Method.Params(fill))))
    }

    /// Asks for the list of conversations; once more behind the one that is coming, where one is, since
    /// each message of a conversation that is new wants it.
    private mutating func askForConversations() {
        self.isListOld = self.asked.values.contains(.conversations)
        if !self.isListOld { self.askForConversations(after: nil) }
    }

    private mutating func askForConversations(after place: String?) {
        self.ask(ConversationsMethod.self, .conversations) {
            ($0.limit, $0.after) = (Int64(ControlLimits.pageItems), place)
        }
    }

    /// Asks for the list of those who wait, where none is coming: of two at a time all would be counted
    /// twice.
    private mutating func askForRequests(after place: String? = nil) {
        guard !self.asked.values.contains(.requests) else { return }
        if place == nil { self.waiting = 0 }
        self.ask(RequestsMethod.self, .requests) {
            ($0.limit, $0.after) = (Int64(ControlLimits.pageItems), place)
        }
    }

    private mutating func connect() {
        self.isConnected = true
        (self.nextAttempt, self.pause) = (nil, Self.pauses.lowerBound)
        let cursor = self.cursor
        self.ask(SubscribeMethod.self, .follow) {
            $0.from = cursor
            $0.kinds = [.message, .conversation, .alert, .request, .deleted, .edited]
            $0.notMine = true
        }
        self.askForConversations()
        self.askForRequests()
    }

    private mutating func answered(_ response: RPCResponse, _ wishes: () -> Wishes) {
        guard case .integer(let id) = response.id, let asked = self.asked.removeValue(forKey: id)
        else { return }
        if case .result(let result) = response.outcome { self.take(result, asked, wishes) }
        // Once no list is coming: at log-in, and after quiet hours, all of it is told at once.
        guard self.wantsSummary, !self.asked.values.contains(where: { $0 != .follow }) else {
            return
        }
        self.wantsSummary = false
        self.summarise()
    }

    private mutating func take(_ result: JSON, _ asked: Asked, _ wishes: () -> Wishes) {
        switch asked {
        case .follow:
            if self.cursor == nil { self.cursor = SubscribeMethod.Result(reading: result).cursor }
        case .conversations:
            let page = ConversationsMethod.Result(reading: result)
            for item in page.items where !item.id.isEmpty {
                let isDirect = item.kind == .direct
                self.conversations[item.id] = Conversation(
                    name: isDirect
                        ? item.other.conversation(Self.titleColumns) : item.shownName,
                    isDirect: isDirect, isSecret: item.kind == .secret,
                    isMuted: item.muted == true)
                self.unread[item.id] = (item.unread, item.mentions)
            }
            if let next = self.next(in: page) { return self.askForConversations(after: next) }
            let early = self.early
            self.early = []
            for message in early {
                if self.conversations[message.conversation] != nil {
                    self.tell(message, wishes)
                } else if self.isListOld {
                    self.early.append(message)
                }
            }
            if self.isListOld { self.askForConversations() }
        case .requests:
            let page = RequestsMethod.Result(reading: result)
            self.waiting += page.items.count
            if let next = self.next(in: page) { return self.askForRequests(after: next) }
        }
    }

    /// Where the rest of a list begins; nil at its end.
    private func next(in page: some ListResult) -> String? {
        page.items.isEmpty ? nil : page.next
    }

    /// Tells in one notification what was missed; nothing where nothing was.
    private mutating func summarise() {
        var parts: [String] = []
        for (id, count) in self.unread.sorted(by: { $0.key < $1.key }) {
            guard let conversation = self.conversations[id], !conversation.isMuted else { continue }
            let missed = conversation.isDirect ? count.unread : count.mentions
            guard missed > 0, self.shown[id] == nil else { continue }
            parts.append("\(missed) \(conversation.isDirect ? "from" : "in") \(conversation.name)")
        }
        if self.waiting > 0 {
            parts.append(
                "\(self.waiting) \(self.waiting == 1 ? "person wants" : "people want") to write to you"
            )
        }
        guard !parts.isEmpty else { return }
        self.effects.append(
            .show(
                tag: Self.missed,
                DesktopNote(
                    title: "While you were away", text: Self.cut(parts.joined(separator: ", ")))))
    }

    private static func cut(_ text: String) -> String {
        let scalars = text.unicodeScalars
        let line = TerminalText.line(String(scalars.prefix(self.textScalars)))
        return scalars.dropFirst(self.textScalars).isEmpty ? line : line + "…"
    }

    // MARK: What is told

    private mutating func notified(_ event: ServerEvent, _ wishes: () -> Wishes) {
        switch event {
        case .message(let event):
            self.cursor = event.message.cursor
            self.tell(event.message, wishes)
        case .change(let event):
            self.cursor = event.change.cursor
            self.tell(event.change, wishes)
        case .gap(let gap): self.cursor = gap.to
        default: break
        }
    }

    private mutating func tell(_ message: MessageResult, _ wishes: () -> Wishes) {
        let id = message.conversation
        guard !id.isEmpty else { return }
        guard let conversation = self.conversations[id] else {
            // A new one: until its kind is known what it says is not shown.
            if self.early.count < Self.earlyLimit { self.early.append(message) }
            return self.askForConversations()
        }
        switch message.kind {
        case .join, .leave, .topic: return
        default: break
        }
        let calls = conversation.isDirect || message.mention == true
        guard calls, !conversation.isMuted else { return }
        let author = message.shownAuthor.fitted(Self.titleColumns)
        let wishes = wishes()
        let isHidden = conversation.isSecret && !wishes.showsSecretTexts
        var text = message.text
        if let file = message.file { text = "[\(file.name.shown)] \(text)" }
        // What is not shown is not counted as shown.
        var shown = wishes.isQuiet ? Shown() : self.shown[id] ?? Shown()
        shown.count += 1
        shown.last = message.id
        shown.title = conversation.isDirect ? author : "\(author) in \(conversation.name)"
        shown.text = isHidden ? "a new message" : Self.cut(text)
        if !wishes.isQuiet { self.shown[id] = shown }
        self.effects.append(.show(tag: id, Self.note(shown)))
    }

    private static func note(_ shown: Shown) -> DesktopNote {
        DesktopNote(
            title: shown.count > 1 ? "\(shown.title) (\(shown.count) new)" : shown.title,
            text: shown.text)
    }

    private mutating func tell(_ change: ChangeResult, _ wishes: () -> Wishes) {
        let id = change.id ?? ""
        switch change.knownEvent {
        case .seen:
            let unread = change.unread ?? 0
            self.unread[id] = (unread, change.mentions ?? 0)
            if unread == 0 { self.close(id) }
            if self.unread.values.allSatisfy({ $0.unread == 0 }) {
                self.effects.append(.close(tag: Self.missed))
            }
        case .joined, .left: self.askForConversations()
        case .arranged:
            self.conversations[id]?.isMuted = change.muted == true
            if change.muted == true { self.close(id) }
        case .requested:
            let name = ShownPerson(
                name: change.name ?? "", id: change.peer.shown, isAmbiguous: true
            ).fitted(Self.titleColumns)
            self.effects.append(
                .show(
                    tag: "request " + change.peer.shown,
                    DesktopNote(
                        title: "\(name) wants to write to you",
                        text: Self.cut(change.text ?? ""))))
        case .raised:
            self.effects.append(
                .show(
                    tag: "alert " + change.code.shown,
                    DesktopNote(
                        title: "Stoa", text: Self.cut(change.text ?? ""),
                        isUrgent: true)))
        case .cleared: self.effects.append(.close(tag: "alert " + change.code.shown))
        case .deleted:
            // Closed, since in quiet hours nothing may be shown in its place.
            if self.shown[id]?.last == change.message { self.close(id) }
        case .edited: self.edited(change, in: id, wishes)
        default: break
        }
    }

    /// What stands on the desktop says what is so.
    private mutating func edited(_ change: ChangeResult, in id: String, _ wishes: () -> Wishes) {
        guard var shown = self.shown[id], shown.last == change.message,
            let conversation = self.conversations[id]
        else { return }
        let wishes = wishes()
        guard !conversation.isSecret || wishes.showsSecretTexts else { return }
        // In quiet hours what it says from here on is told of afterwards.
        if wishes.isQuiet { self.close(id) }
        shown.text = Self.cut(change.text ?? "")
        if !wishes.isQuiet { self.shown[id] = shown }
        self.effects.append(.show(tag: id, Self.note(shown)))
    }

    /// Takes away what stands of a conversation, where something does.
    private mutating func close(_ id: String) {
        if self.shown.removeValue(forKey: id) != nil { self.effects.append(.close(tag: id)) }
    }
}

/// What the user has chosen, as it is at a minute of the day.
private struct Wishes {
    let isQuiet: Bool
    let showsSecretTexts: Bool
    /// The quiet hours, in them.
    let hours: QuietHours?

    init(_ settings: NotifierSettings, _ minute: Int) {
        self.hours = settings.quiet.flatMap { $0.contains(minute) ? $0 : nil }
        self.isQuiet = settings.isInhibited || self.hours != nil
        self.showsSecretTexts = settings.showsSecretTexts
    }
}

extension NotifierEffect {
    fileprivate var isShow: Bool { if case .show = self { true } else { false } }
}
