/// When subscribers are told that alerts came and went: once a minute for each code, however they
/// flap and about however many peers.
///
/// What happens in between waits, and the newest of it is told; what ends as it had begun is not.
struct AlertNotices: Sendable {
    private struct Told {
        var event: Notice.Event
        /// The monotonic moment.
        var at: UInt64
    }

    private var told: [Alert.Code: Told] = [:]
    private var waiting: [Alert.Code: Notice] = [:]
    private var armed: UInt64?

    /// Takes the news of an alert.
    mutating func note(_ notice: Notice, of code: Alert.Code) {
        let told = self.told[code]?.event ?? .cleared(code)
        self.waiting[code] = told == notice.event ? nil : notice
    }

    /// Gives what may be told now, in the order of codes.
    mutating func take(at now: Instant) -> [Notice] {
        guard !self.waiting.isEmpty else { return [] }
        var notices: [Notice] = []
        for (code, notice) in self.waiting.sorted(by: { $0.key.rawValue < $1.key.rawValue })
        where self.moment(of: code) <= now.monotonic {
            self.waiting[code] = nil
            self.told[code] = Told(event: notice.event, at: now.monotonic)
            notices.append(notice)
        }
        return notices
    }

    /// The monotonic moment to ask again, where it is another one than was said last.
    mutating func newMoment() -> UInt64? {
        let next = self.waiting.keys.map(self.moment).min()
        guard next != self.armed else { return nil }
        self.armed = next
        return next
    }

    private func moment(of code: Alert.Code) -> UInt64 {
        self.told[code].map { $0.at + Limits.alertNoticeMilliseconds } ?? 0
    }
}
