internal import Formats

/// What ``Alerts`` wants done, in order.
enum AlertAction: Hashable, Sendable {
    case perform(Action)
    /// Have subscribers told.
    case write([Notice])
    /// Raise the alert of those who are missed, whose names are known elsewhere; what was found on this machine
    /// may be why.
    case tellMissing([Absences.Missed], found: [String])
}

/// What people should know: alerts that stand until they are over, and refusals.
///
/// An alert is about the node, or about one peer: those about different peers stand side by side.
struct Alerts: Sendable {
    /// What an alert is about.
    private struct Subject: Hashable {
        var code: Alert.Code
        var peer: PeerID?
    }

    private struct Standing {
        var alert: Alert
        /// Whether it is about the node, or somebody whom it trusts.
        var isTrusted: Bool
        /// The monotonic moment at which it is over by itself; nil for one that something ends.
        var until: UInt64?
        /// The monotonic moment of the last line of the log about it.
        var lineAt: UInt64
    }

    private var standing: [Subject: Standing] = [:]
    /// The monotonic moments of the last lines about the node itself: what comes, goes and comes again is
    /// said as rarely as what stands.
    private var lines: [Alert.Code: UInt64] = [:]
    private var refusalList = RefusalList()
    /// Of the warnings that peers cause.
    private var thinning = LogThinning()
    /// Of the lines that say which strangers come and go.
    private var linkThinning = LogThinning()
    /// What subscribers are told of it, and when.
    var notices = AlertNotices()
    /// Who is gone without a goodbye.
    var absences = Absences()
    private var armed: UInt64?

    /// The alerts that stand, oldest first.
    var all: [Alert] {
        self.standing.values.map(\.alert).sorted { ($0.since, $0.text) < ($1.since, $1.text) }
    }

    /// The latest refusals, newest first.
    var refusals: [Refusal] { self.refusalList.entries.reversed() }

    /// Raises an alert or changes its text; true when that is worth a line of the log.
    ///
    /// - Parameters:
    ///   - peer: whom it is about; nil for the node itself.
    ///   - isTrusted: whether that peer is more than a stranger, whose alerts take nobody else's place.
    ///   - duration: after how many milliseconds it is over by itself; nil for one that is ended.
    mutating func raise(
        _ code: Alert.Code, about peer: PeerID? = nil, isTrusted: Bool = true, _ text: String,
        lasting duration: UInt64? = nil, at now: Instant
    ) -> Bool {
        let subject = Subject(code: code, peer: peer)
        let known = self.standing[subject]
        if known == nil && peer != nil && !self.makeRoom(isTrusted: isTrusted) { return false }
        // What is said about peers may be of their choice, and so are who brings most, how many clocks differ,
        // who holds or refuses what, what is announced, and when servers answer.
        let isOthers =
            peer != nil
            || [.diskShare, .crowded, .clock, .held, .refused, .announcements, .sites].contains(
                code)
        let lineAt = known?.lineAt ?? (peer == nil ? self.lines[code] : nil)
        let isSilent = lineAt.map {
            isOthers && now.monotonic - $0 < Limits.alertNoticeMilliseconds
        }
        let isNews = known?.alert.text != text && isSilent != true
        if isNews && peer == nil { self.lines[code] = now.monotonic }
        self.standing[subject] = Standing(
            alert: Alert(code: code, text: text, since: known?.alert.since ?? now.wall),
            isTrusted: isTrusted, until: duration.map { now.monotonic + $0 },
            lineAt: isNews ? now.monotonic : lineAt ?? now.monotonic)
        if known?.alert.text != text {
            self.notices.note(
                Notice(.raised(code, about: peer, text), at: now.wall), of: code,
                about: isTrusted ? peer : nil)
        }
        return isNews
    }

    /// Makes room for an alert about a peer: those about strangers give way, then the oldest; false where
    /// it is about a stranger itself and none does.
    private mutating func makeRoom(isTrusted: Bool) -> Bool {
        let others = self.standing.filter { $0.key.peer != nil }
        guard others.count >= Limits.peerAlerts else { return true }
        let first = others.min {
            ($0.value.isTrusted ? 1 : 0, $0.value.alert.since, $0.value.alert.text)
                < ($1.value.isTrusted ? 1 : 0, $1.value.alert.since, $1.value.alert.text)
        }
        guard let first, isTrusted || !first.value.isTrusted else { return false }
        self.standing[first.key] = nil
        return true
    }

    /// Ends an alert that is over.
    mutating func clear(_ code: Alert.Code, at now: Instant) {
        self.end(Subject(code: code), at: now)
    }

    /// Ends what is over and has subscribers told, where that is due: with each event.
    mutating func goOn(at now: Instant) -> [AlertAction] {
        self.expire(at: now)
        var wanted: [AlertAction] = []
        let notices = self.notices.take(at: now)
        if !notices.isEmpty { wanted.append(.write(notices)) }
        if let moment = self.newMoment(besides: self.absences.next) {
            wanted.append(.perform(.arm(.alerts, at: moment)))
        }
        return wanted
    }

    // MARK: Lines of the log

    /// Raises an alert; gives the line of the log, where it is worth one.
    mutating func line(
        raising code: Alert.Code, about peer: PeerID?, in conversation: ConversationID?,
        isTrusted: Bool, _ text: String, logged: String, lasting duration: UInt64?, at now: Instant
    ) -> AlertAction? {
        let isNews = self.raise(
            code, about: peer, isTrusted: isTrusted, text, lasting: duration, at: now)
        guard isNews else { return nil }
        let subject = LogSubject(peer: peer, conversation: conversation, alert: code)
        guard isTrusted else { return self.warning(logged, about: subject, at: now) }
        return .perform(.log(code == .damage ? .error : .warning, logged, subject))
    }

    /// A warning that peers can cause again and again; nil where there were enough of them.
    mutating func warning(
        _ text: String, about subject: LogSubject, at now: Instant
    ) -> AlertAction? {
        self.thinning.line(text, at: now).map { .perform(.log(.warning, $0, subject)) }
    }

    /// A line about links that strangers can cause again and again; nil where there were enough of them.
    mutating func linkLine(
        _ text: String, about subject: LogSubject, at now: Instant
    ) -> AlertAction? {
        self.linkThinning.line(text, at: now).map { .perform(.log(.info, $0, subject)) }
    }

    private mutating func end(_ subject: Subject, at now: Instant) {
        guard !self.standing.isEmpty, let ended = self.standing.removeValue(forKey: subject) else {
            return
        }
        // Of those about peers the code stands as long as one of them does.
        guard !self.standing.keys.contains(where: { $0.code == subject.code }) else {
            return self.notices.forget(subject.code, about: subject.peer)
        }
        self.notices.note(
            Notice(.cleared(subject.code), at: now.wall), of: subject.code,
            about: ended.isTrusted ? subject.peer : nil)
    }

    /// Ends the alerts that are over by themselves.
    mutating func expire(at now: Instant) {
        for (subject, standing) in self.standing {
            if let until = standing.until, until <= now.monotonic { self.end(subject, at: now) }
        }
    }

    /// The monotonic moment to look again, where it is another one than was said last.
    ///
    /// - Parameter other: a moment at which something else is to be looked at.
    mutating func newMoment(besides other: UInt64? = nil) -> UInt64? {
        // Asked with each event: nothing is allocated for it.
        var first = min(self.notices.next ?? .max, other ?? .max)
        for standing in self.standing.values { first = min(first, standing.until ?? .max) }
        let moment = first == .max ? nil : first
        guard moment != self.armed else { return nil }
        self.armed = moment
        return moment
    }

    /// Counts a refusal; gives the line of the log, where it is worth one.
    mutating func refuse(
        address: String?, peer: PeerID?, _ reason: String, at now: Instant
    ) -> (LogLevel, String)? {
        let count = self.refusalList.add(address: address, peer: peer, reason, at: now.wall)
        let who = [peer?.shortText, address].compactMap { $0 }.joined(separator: " at ")
        // Repeats are worth a line ever more rarely: a flood must not fill the log.
        let isNews = count & (count - 1) == 0
        let times = count == 1 ? "" : " (\(count) times)"
        let text = "refused \(who): \(reason)\(times)"
        guard isNews else { return (.debug, text) }
        return self.thinning.line(text, at: now).map { (.warning, $0) }
    }
}
