internal import Formats

/// When subscribers are told that alerts came and went: once a minute for each code, however they
/// flap and about however many strangers.
///
/// Those about somebody whom the node trusts are told by themselves, so that none of them stands in the
/// place of another.
struct AlertNotices: Sendable {
    private struct Told {
        var event: Notice.Event
        /// The monotonic moment.
        var at: UInt64
    }

    /// What is told of together.
    private struct Subject: Hashable, Comparable {
        var code: Alert.Code
        var peer: PeerID?

        static func < (left: Subject, right: Subject) -> Bool {
            if left.code != right.code { return left.code.rawValue < right.code.rawValue }
            guard let one = left.peer, let other = right.peer else {
                return left.peer == nil && right.peer != nil
            }
            return one < other
        }
    }

    private var told: [Subject: Told] = [:]
    private var waiting: [Subject: Notice] = [:]

    /// Takes the news of an alert.
    ///
    /// - Parameter peer: somebody trusted whom it is about; nil for all others together.
    mutating func note(_ notice: Notice, of code: Alert.Code, about peer: PeerID? = nil) {
        let subject = Subject(code: code, peer: peer)
        let told = self.told[subject]?.event ?? .cleared(code)
        self.waiting[subject] = told == notice.event ? nil : notice
    }

    /// An alert about a peer has ended of whose code others stand: the same again is news.
    mutating func forget(_ code: Alert.Code, about peer: PeerID?) {
        let subject = Subject(code: code, peer: peer)
        self.told[subject] = nil
        self.waiting[subject] = nil
    }

    /// Gives what may be told now, in the order of codes.
    mutating func take(at now: Instant) -> [Notice] {
        guard !self.waiting.isEmpty else { return [] }
        var notices: [Notice] = []
        for (subject, notice) in self.waiting.sorted(by: { $0.key < $1.key })
        where self.moment(of: subject) <= now.monotonic {
            self.waiting[subject] = nil
            self.told[subject] = Told(event: notice.event, at: now.monotonic)
            notices.append(notice)
        }
        return notices
    }

    /// The monotonic moment at which something may be told; nil where nothing waits.
    var next: UInt64? { self.waiting.keys.map(self.moment).min() }

    private func moment(of subject: Subject) -> UInt64 {
        self.told[subject].map { $0.at + Limits.alertNoticeMilliseconds } ?? 0
    }
}
