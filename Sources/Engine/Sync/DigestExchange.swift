internal import Crypto
internal import Formats

/// What a digest of the peer asks for.
enum DigestAnswer: Hashable, Sendable {
    /// Nothing: it equals the own one.
    case equal
    /// What is not equal is told.
    case differs(logs: Bool, records: Bool)
    /// Nothing but trying again: both are as they were when all was told.
    case told(records: Bool)
}

/// How often a peer may ask with a few bytes for what takes all of a conversation to be looked at: once for each
/// digest that it was sent, and else twice in a ping interval.
struct DigestPace: Sendable {
    private var isDue = false
    private var takenAt: UInt64?

    mutating func noteDigestSent() { self.isDue = true }

    /// Whether it may be done now, which then counts as done.
    mutating func take(at now: UInt64) -> Bool {
        let isFirst = self.takenAt.map { now >= $0 + Limits.pingMilliseconds / 2 } ?? true
        guard self.isDue || isFirst else { return false }
        (self.isDue, self.takenAt) = (false, now)
        return true
    }
}

/// How many pages of a peer's clock are looked at: a page of no rows has all logs of its bucket looked at.
struct PagePace: Sendable {
    /// All pages twice: those that a digest has asked for, and those of what has changed meanwhile.
    private static let most = 2 * LogBucket.count

    private var left = Self.most
    private var pace = DigestPace()

    mutating func noteDigestSent() { self.pace.noteDigestSent() }

    /// Whether a page may be looked at now, which then counts.
    mutating func take(at now: UInt64) -> Bool {
        if self.left == 0 {
            guard self.pace.take(at: now) else { return false }
            self.left = Self.most
        }
        self.left -= 1
        return true
    }
}

/// The digests of a conversation on a link: when the own one is sent, and what the peer's asks for.
struct DigestExchange: Sendable {
    private var sent: ConversationDigest?
    private var received: ConversationDigest?
    /// How many records the peer lacks, by its last clock of them, and at the last ``tellAgain()``.
    private var lacking = (now: 0, before: Int.max)
    /// The two log digests at which this node has told what it has; nothing is to be told again
    /// while they stay.
    private var told: (own: Bytes32, theirs: Bytes32)?
    /// When to send an unchanged digest again because the peer's differs, and how long to wait next.
    private var repair: (at: UInt64, wait: UInt64)?
    /// The digest that was sent again because the peer had missed that it is equal; once, or two sides
    /// would answer each other for ever.
    private var repeated: ConversationDigest?
    /// Whether the peer has said again what it had, though it was told what it lacks: it takes none.
    private(set) var isDeclined = false
    /// Record clocks of the peer that are answered: it takes all records of the conversation to be looked at.
    var recordClocks = DigestPace()
    /// Digests of the peer that have it asked again: it takes all logs to be looked at of which it has more.
    var retries = DigestPace()
    /// Buckets of the peer that are answered by pages: it takes up to all logs to be told.
    var buckets = DigestPace()
    /// Pages of the peer's clock that are looked at.
    var pages = PagePace()
    /// Digests of the peer that are answered by what is here of logs, and of records.
    private var logTellings = DigestPace()
    private var recordTellings = DigestPace()

    /// Whether the peer has said last what this node has, or neither has said anything.
    var isSettled: Bool { self.sent == self.received }

    mutating func noteSent(_ digest: ConversationDigest) {
        self.sent = digest
        self.recordClocks.noteDigestSent()
        self.retries.noteDigestSent()
        self.buckets.noteDigestSent()
        self.pages.noteDigestSent()
        self.logTellings.noteDigestSent()
        self.recordTellings.noteDigestSent()
    }

    /// The own digest is sent with the next ping, since the peer was sent a part of what it lacks.
    ///
    /// Not where the peer lacks no fewer than the last time, as who takes none does: it is told with the next repair.
    mutating func tellAgain() {
        if self.lacking.now < self.lacking.before { self.sent = nil }
        self.lacking.before = self.lacking.now
    }

    /// The peer lacks so many records, by its clock of them.
    mutating func noteLacking(_ count: Int) { self.lacking.now = count }

    /// Whether a digest is to be sent at a ping: it says what has changed since the last one, and so
    /// repairs what deltas have missed.
    ///
    /// One that has not changed is sent again, ever more rarely, while the peer's differs: a want may
    /// have been given up, a record may have been ahead of time.
    mutating func isDue(_ digest: ConversationDigest, at now: UInt64) -> Bool {
        if self.sent != digest {
            self.repair = nil
            return true
        }
        if self.received == digest {
            self.repair = nil
            return false
        }
        guard let (moment, wait) = self.repair else {
            let first = Limits.repairFirstMilliseconds
            self.repair = (now + first, first)
            return false
        }
        guard moment <= now else { return false }
        let next = min(2 * wait, Limits.repairLastMilliseconds)
        self.repair = (now + next, next)
        return true
    }

    /// Takes the peer's digest; where something is to be told it counts as told.
    ///
    /// Who says ever another one is told something once in a while.
    mutating func receive(
        _ theirs: ConversationDigest, own: ConversationDigest, at now: UInt64
    ) -> DigestAnswer {
        let isRepeated = self.received == theirs
        self.received = theirs
        self.isDeclined = false
        if theirs == own {
            // Who says the same again has not heard that it is equal here, and would go on.
            if isRepeated && self.repeated != own { (self.repeated, self.sent) = (own, nil) }
            return .equal
        }
        let records = theirs.records != own.records && self.recordTellings.take(at: now)
        guard theirs.logs != own.logs else { return .differs(logs: false, records: records) }
        if let told = self.told, told == (own.logs, theirs.logs) {
            self.isDeclined = true
            return .told(records: records)
        }
        guard self.logTellings.take(at: now) else { return .differs(logs: false, records: records) }
        self.told = (own.logs, theirs.logs)
        return .differs(logs: true, records: records)
    }
}
