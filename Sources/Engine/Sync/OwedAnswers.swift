internal import Formats

/// What a peer is owed of a conversation: each thing once, however often it asks, and made when it goes.
///
/// A question of some bytes may be worth an answer of megabytes, and who asks without reading must not have
/// a node keep them: so nothing of an answer is made before what waits on the link has gone.
struct OwedAnswers: Sendable {
    /// Something that is owed.
    enum Item: Hashable, Sendable {
        /// What is here of all logs, by buckets or by pages.
        case logs
        /// Pages of the own clock, as many of these as fit a frame.
        case pages([UInt8])
        case recordClock
        /// That a log's author has signed two histories.
        case proof(LogName)
    }

    var logs = false
    var pages = BucketSet()
    var recordClock = false
    private var proofs = Turns<LogName>()

    var isEmpty: Bool {
        !self.logs && self.pages.isEmpty && !self.recordClock && self.proofs.isEmpty
    }

    /// How many things are owed.
    var count: Int { self.proofs.count }

    mutating func owe(proof: LogName) { self.proofs.add(proof) }

    /// Takes what is to be sent next.
    mutating func next() -> Item? {
        if self.logs {
            self.logs = false
            return .logs
        }
        if !self.pages.isEmpty { return .pages(self.pages.members) }
        if self.recordClock {
            self.recordClock = false
            return .recordClock
        }
        return self.proofs.next().map { .proof($0) }
    }
}
