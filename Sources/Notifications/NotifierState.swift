internal import ControlAPI
package import ControlClient

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
        /// The other person of a conversation of two.
        var person: String?
    }

    /// An answer that was typed into a notification, until the daemon has it.
    private struct Reply: Equatable, Sendable {
        var conversation: String
        var text: String
        var key: String
    }

    private enum Asked: Equatable, Sendable {
        case follow, conversations, requests
        case reply(Reply)
        case accept(String)
    }

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
    /// How many messages wait for their conversation to be known, and how many answers for the daemon.
    private static let earlyLimit = 32
    /// How many conversations, and how many requests, have a notification of their own at a time.
    private static let noteLimit = 5
    /// How many of those who wait are counted: as many as the daemon keeps.
    private static let requestLimit = 256
    /// The tags of what is said of all others together.
    private static let others = (conversations: "others", requests: "requests")
    /// How long it waits before it looks again whether the desktop may be disturbed, in milliseconds.
    private static let inhibitedMilliseconds: Int64 = 60_000

    private var conversations: [String: Conversation] = [:]
    private var shown: [String: Shown] = [:]
    private var asked: [Int64: Asked] = [:]
    private var lastID: Int64 = 0
    private var cursor: Int64?
    /// Whether the node was locked when it was asked last, which the user was told.
    private var isLocked = false
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
    /// Groups that wait for the user.
    private var invited = 0
    /// The invitations to groups that the desktop shows.
    private var groups: Set<String> = []
    /// Messages of conversations of which nothing is known yet.
    private var early: [MessageResult] = []
    /// How many messages came in conversations beyond those that have a notification.
    private var others: [String: Int] = [:]
    /// Requests that stand on the desktop, each or all together.
    private var requests: Set<String> = []
    private var replies: [Reply] = []
    private var rings = CallRings()
    private var effects: [NotifierEffect] = []

    /// Begins; the first event is `.due`.
    package init() {}

    /// When `.due` is to be given next; nil for never.
    package var nextDue: Int64? {
        // Without the daemon there is nobody to ask what was missed.
        [
            self.nextAttempt, self.isConnected ? self.held?.until : nil,
            self.rings.nextDue,
        ].compactMap(\.self).min()
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
        case .received(.notification(let request)):
            let event = ServerEvent(request)
            if case .call(let call) = event {
                let place = self.conversations[call.conversation]
                let rings = place?.isDirect == true && place?.isMuted == false
                self.effects += self.rings.hear(call, of: rings ? place?.name : nil, at: now)
            }
            self.notified(event, wishes)
        case .dismissed(let tag): self.dismissed(tag)
        case .chosen(let tag, let action): self.choose(action, of: tag)
        case .replied(let tag, let text): self.reply(text, to: tag)
        case .due:
            self.effects += self.rings.expire(at: now)
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
        if place == nil { (self.waiting, self.invited) = (0, 0) }
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
            $0.kinds = [.message, .conversation, .alert, .request, .deleted, .edited, .call]
            $0.notMine = true
        }
        self.askForConversations()
        self.askForRequests()
        // The daemon may have them: it knows them by their keys.
        for reply in self.replies { self.send(reply) }
    }

    private mutating func answered(_ response: RPCResponse, _ wishes: () -> Wishes) {
        guard case .integer(let id) = response.id, let asked = self.asked.removeValue(forKey: id)
        else { return }
        switch response.outcome {
        case .result(let result): self.take(result, asked, wishes)
        case .failure(let error): self.refused(error, asked)
        }
        guard !self.isLocked else { return }
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
            if self.isLocked { self.effects.append(.close(tag: "locked")) }
            self.isLocked = false
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
        case .reply(let reply): self.replies.removeAll { $0 == reply }
        case .accept(let peer): self.decided(peer)
        case .requests:
            let page = RequestsMethod.Result(reading: result)
            self.waiting += page.items.count { $0.kind == .person }
            self.invited += page.items.count { $0.kind == .group }
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
        if self.invited > 0 {
            parts.append(
                "\(self.invited) \(self.invited == 1 ? "group invites" : "groups invite") you")
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
        // Lines of a text follow one another: a desktop has few, and ^J says nothing to most people.
        let words = String(scalars.prefix(self.textScalars)).split(whereSeparator: \.isWhitespace)
        let line = TerminalText.line(words.joined(separator: " "))
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
        shown.person = conversation.isDirect ? "@\(message.author)" : nil
        guard wishes.isQuiet || self.shown[id] != nil || self.shown.count < Self.noteLimit else {
            self.others[id, default: 0] += 1
            return self.showOthers()
        }
        if !wishes.isQuiet { self.shown[id] = shown }
        self.effects.append(.show(tag: id, Self.note(shown)))
    }

    private static func note(_ shown: Shown) -> DesktopNote {
        var note = DesktopNote(
            title: shown.count > 1 ? "\(shown.title) (\(shown.count) new)" : shown.title,
            text: shown.text)
        note.actions = [.open, .reply]
        note.person = shown.person
        return note
    }

    /// Says in one notification where else there is something.
    private mutating func showOthers() {
        let tag = Self.others.conversations
        guard !self.others.isEmpty else { return self.effects.append(.close(tag: tag)) }
        let names = self.others.keys.compactMap { self.conversations[$0]?.name }.sorted()
        var note = DesktopNote(
            title:
                "Messages in \(names.count) more \(names.count == 1 ? "conversation" : "conversations")",
            text: Self.cut(names.joined(separator: ", ")))
        note.actions = [.open]
        self.effects.append(.show(tag: tag, note))
    }

    // MARK: What the person does

    private static func tag(ofRequest peer: String) -> String { "request \(peer)" }

    private mutating func dismissed(_ tag: String) {
        self.shown[tag] = nil
        if tag == Self.others.conversations { self.others = [:] }
    }

    private mutating func choose(_ action: NoteAction, of tag: String) {
        if let ring = self.rings.ringing(of: tag) {
            // The page rings, too: who only opens it has not answered.
            return self.effects.append(
                action == .answer
                    ? .answer(conversation: ring.conversation, call: ring.call)
                    : .open(conversation: ring.conversation))
        }
        let peer = self.requests.first { Self.tag(ofRequest: $0) == tag }
        if action == .accept, let peer {
            let whom = self.groups.contains(peer) ? peer : "@\(peer)"
            return self.ask(AcceptMethod.self, .accept(peer)) { $0.person = whom }
        }
        self.effects.append(.open(conversation: self.shown[tag] == nil ? nil : tag))
    }

    private mutating func reply(_ text: String, to tag: String) {
        guard let shown = self.shown[tag], !TerminalText.isBlank(text) else { return }
        let reply = Reply(
            conversation: tag, text: text, key: "notify-\(shown.last)-\(self.lastID)")
        guard self.replies.count < Self.earlyLimit else {
            return self.tell(notDone: "Your answer was not sent", why: text)
        }
        self.replies.append(reply)
        if self.isConnected { self.send(reply) }
    }

    private mutating func send(_ reply: Reply) {
        self.ask(SendMethod.self, .reply(reply)) {
            ($0.to, $0.text, $0.idempotencyKey) = (reply.conversation, reply.text, reply.key)
        }
    }

    private mutating func refused(_ error: RPCError, _ asked: Asked) {
        switch asked {
        case .follow where error.knownCode == .locked:
            // Whoever unlocks the node ends this connection, and the next one goes on with all that is left.
            if !self.isLocked { self.effects.append(.show(tag: "locked", .locked)) }
            self.isLocked = true
        case .reply where error.knownCode == .locked, .follow, .conversations, .requests: break
        case .accept: self.tell(notDone: "Not accepted", why: error.message)
        case .reply(let reply):
            self.replies.removeAll { $0 == reply }
            self.tell(notDone: "Your answer was not sent", why: "\(error.message): \(reply.text)")
        }
    }

    private mutating func tell(notDone title: String, why: String) {
        self.effects.append(.show(tag: "failed", DesktopNote(title: title, text: Self.cut(why))))
    }

    /// Somebody waits no longer: here or elsewhere they were let in or turned down.
    private mutating func decided(_ peer: String) {
        guard self.requests.remove(peer) != nil else { return }
        self.groups.remove(peer)
        self.effects.append(.close(tag: Self.tag(ofRequest: peer)))
        if self.requests.count <= Self.noteLimit {
            self.effects.append(.close(tag: Self.others.requests))
        }
    }

    private mutating func tell(request peer: String, _ change: ChangeResult) {
        guard self.requests.count < Self.requestLimit else { return }
        self.requests.insert(peer)
        if change.knownEvent == .invited { self.groups.insert(peer) }
        var note: DesktopNote
        var tag = Self.tag(ofRequest: peer)
        if self.requests.count > Self.noteLimit {
            tag = Self.others.requests
            note = DesktopNote(
                title: "\(self.requests.count) people want to write to you",
                text: "Read and answer with: stoa requests")
        } else if change.knownEvent == .invited {
            let name = ShownPerson(
                name: change.peerName ?? "", id: change.peer ?? "", isAmbiguous: true
            ).fitted(Self.titleColumns)
            note = DesktopNote(
                title: "\(name) invites you to a group", text: Self.cut(change.name ?? ""))
            note.actions = [.accept]
        } else {
            let name = ShownPerson(name: change.name ?? "", id: peer, isAmbiguous: true)
                .fitted(Self.titleColumns)
            note = DesktopNote(
                title: "\(name) wants to write to you", text: Self.cut(change.text ?? ""))
            note.actions = [.accept]
        }
        self.effects.append(.show(tag: tag, note))
    }

    private mutating func tell(_ change: ChangeResult, _ wishes: () -> Wishes) {
        let id = change.id ?? ""
        switch change.knownEvent {
        case .seen:
            let unread = change.unread ?? 0
            self.unread[id] = (unread, change.mentions ?? 0)
            if unread == 0 {
                self.close(id)
                if self.others.removeValue(forKey: id) != nil { self.showOthers() }
            }
            if self.unread.values.allSatisfy({ $0.unread == 0 }) {
                self.effects.append(.close(tag: Self.missed))
            }
        case .joined, .left: self.askForConversations()
        case .arranged:
            self.conversations[id]?.isMuted = change.muted == true
            if change.muted == true { self.close(id) }
        case .requested: self.tell(request: change.peer.shown, change)
        case .invited: self.tell(request: id, change)
        case .accepted, .declined: self.decided(change.peer ?? id)
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
