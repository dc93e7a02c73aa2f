package import Formats

/// Decides which thread does what for the store, and when history gets its turn on the loop.
///
/// A value: time and what was measured are arguments, and the shell does what it says. The parts
/// are ``CommitPace`` and ``ReadPace``, which learn what the loop's thread may do itself, and
/// ``BulkQueue`` and ``BulkPace``, which keep history behind live messages. One batch is under way
/// at a time, because the node makes one at a time.
package struct StoreScheduler {
    private var commitPace = CommitPace()
    private var readPace = ReadPace()
    private var bulk = BulkQueue()
    private var bulkPace = BulkPace()
    /// A small batch that waits for the end of the round.
    private var lateBatch: Batch?
    /// When the store's thread was given the batch that it writes, and whether that is a small one.
    private var handedOver: (at: UInt64, isSmall: Bool)?
    private var isCheckpointing = false
    /// Whether a turn for history is planned.
    private var hasBulkTurn = false

    package init() {}

    // MARK: Commits

    /// Keeps a small batch for the end of the round; gives any other back, for the store's thread.
    ///
    /// `isFollowed` says that the node has much to do first: then the disk works meanwhile, and
    /// what gathers goes into the next batch.
    package mutating func place(_ batch: Batch, isFollowed: Bool, at microseconds: UInt64) -> Batch?
    {
        if batch.isBesideLive { self.bulkPace.began(at: microseconds) }
        guard !isFollowed, self.commitPace.allows(batch) else { return batch }
        self.lateBatch = batch
        return nil
    }

    /// The batch that was kept for the end of the round.
    package mutating func takeLateBatch() -> Batch? { self.lateBatch.take() }

    /// The loop's thread wrote a batch.
    package mutating func committedOnLoop(_ batch: Batch, microseconds: UInt64) {
        self.commitPace.note(microseconds: microseconds, of: batch)
    }

    /// The store's thread is given a batch.
    package mutating func handOver(_ batch: Batch, at microseconds: UInt64) {
        self.handedOver = (microseconds, CommitPace.isSmall(batch))
    }

    /// The store's thread wrote its batch, or failed to.
    package mutating func handedBack(at microseconds: UInt64) {
        guard let (start, isSmall) = self.handedOver.take() else {
            preconditionFailure("the store gives back the batch that it was given")
        }
        self.commitPace.note(microseconds: microseconds - start, isSmall: isSmall)
    }

    /// A batch is done; true where the store is to make a checkpoint, behind what waits already.
    ///
    /// No history comes until that checkpoint is made, see ``checkpointed(at:)``.
    package mutating func batchEnded(isCheckpointDue: Bool, at microseconds: UInt64) -> Bool {
        if isCheckpointDue && !self.isCheckpointing {
            self.isCheckpointing = true
            return true
        }
        if !self.isCheckpointing { self.bulkPace.ended(at: microseconds) }
        return false
    }

    /// The checkpoint is made.
    package mutating func checkpointed(at microseconds: UInt64) {
        self.isCheckpointing = false
        self.bulkPace.ended(at: microseconds)
    }

    // MARK: Queries

    /// Whether the loop's thread may answer a small query.
    package var allowsQuery: Bool { self.readPace.allowsQuery }

    /// Whether this turn of the loop has answered as much as it may.
    package var isTurnSpent: Bool { self.readPace.isTurnSpent }

    /// Begins a turn of the loop.
    package mutating func beginTurn() { self.readPace.beginTurn() }

    /// Learns how long a small query took, on the loop's or on the store's thread.
    package mutating func queried(microseconds: UInt64, isOnLoop: Bool) {
        self.readPace.note(microseconds: microseconds, isOnLoop: isOnLoop)
    }

    // MARK: History

    /// When the node is told of a frame.
    package enum Arrival {
        /// At once.
        case now
        /// At once, behind what waited of the same link.
        case behind([ReceivedFrame])
        /// When history has its turn.
        case later
    }

    /// Says when the node is told of a frame from a link.
    package mutating func arrived(_ frame: ReceivedFrame, from link: LinkID) -> Arrival {
        if self.bulk.take(frame, from: link) { return .later }
        guard frame.channel == .sync else { return .now }
        return .behind(self.bulk.removeAll(of: link))
    }

    /// All that waits of a link that ends.
    package mutating func removeHistory(of link: LinkID) -> [ReceivedFrame] {
        self.bulk.removeAll(of: link)
    }

    /// The moment of the next turn for history, to be told once; nil where none is due.
    package mutating func planHistory() -> UInt64? {
        guard !self.hasBulkTurn, !self.bulk.isEmpty, let earliest = self.bulkPace.earliest else {
            return nil
        }
        self.hasBulkTurn = true
        return earliest
    }

    /// What the turn for history that was planned brings.
    ///
    /// Nil where a batch has begun meanwhile, which puts it off; plan again then.
    ///
    /// - Parameter isLast: whether others come before a link.
    package mutating func takeHistory(
        at microseconds: UInt64, isLast: (LinkID) -> Bool
    ) -> (link: LinkID, frames: [ReceivedFrame])? {
        self.hasBulkTurn = false
        guard let earliest = self.bulkPace.earliest, earliest <= microseconds else { return nil }
        return self.bulk.next(isLast: isLast)
    }
}
