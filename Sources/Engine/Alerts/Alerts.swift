/// What people should know: alerts that stand until they are over, and refusals.
///
/// An alert is about the node, or about one peer: those about different peers stand side by side.
struct Alerts: Sendable {
    /// What an alert is about.
    private struct Subject: Hashable {
        var code: Alert.Code
        var peer: PeerID?
    }

    private var standing: [Subject: Alert] = [:]
    private var refusalList = RefusalList()
    /// What subscribers are told of it, and when.
    var notices = AlertNotices()

    /// The alerts that stand, oldest first.
    var all: [Alert] {
        self.standing.values.sorted { ($0.since, $0.text) < ($1.since, $1.text) }
    }

    /// The latest refusals, newest first.
    var refusals: [Refusal] { self.refusalList.entries.reversed() }

    /// Raises an alert or changes its text; true when that is news.
    mutating func raise(
        _ code: Alert.Code, about peer: PeerID? = nil, _ text: String, at now: Instant
    ) -> Bool {
        let subject = Subject(code: code, peer: peer)
        let known = self.standing[subject]
        if known == nil && peer != nil { self.makeRoom() }
        self.standing[subject] = Alert(code: code, text: text, since: known?.since ?? now.wall)
        guard known?.text != text else { return false }
        self.notices.note(Notice(.raised(code, about: peer, text), at: now.wall), of: code)
        return true
    }

    private mutating func makeRoom() {
        let others = self.standing.filter { $0.key.peer != nil }
        guard others.count >= Limits.peerAlerts else { return }
        let oldest = others.min {
            ($0.value.since, $0.value.text) < ($1.value.since, $1.value.text)
        }
        if let oldest { self.standing[oldest.key] = nil }
    }

    /// Ends an alert that is over.
    mutating func clear(_ code: Alert.Code, at now: Instant) {
        guard self.standing.removeValue(forKey: Subject(code: code)) != nil else { return }
        self.notices.note(Notice(.cleared(code), at: now.wall), of: code)
    }

    /// Counts a refusal; gives the line of the log, which is a warning only where it is news.
    mutating func refuse(
        address: String?, peer: PeerID?, _ reason: String, at now: Instant
    ) -> (LogLevel, String) {
        let count = self.refusalList.add(address: address, peer: peer, reason, at: now.wall)
        let who = [peer?.shortText, address].compactMap { $0 }.joined(separator: " at ")
        // Repeats are worth a line ever more rarely: a flood must not fill the log.
        let isNews = count & (count - 1) == 0
        let times = count == 1 ? "" : " (\(count) times)"
        return (isNews ? .warning : .debug, "refused \(who): \(reason)\(times)")
    }
}
