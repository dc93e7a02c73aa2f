internal import Formats

/// Decides which batches the loop's thread writes itself, by how long the disk has taken for such.
///
/// To hand a batch to the store's thread and to hear of its end are two wake-ups, about 50 µs. That
/// is worth saving where a commit takes as long or a few times that; where it takes milliseconds
/// nobody would notice, and clients and links would wait.
package struct CommitPace {
    /// How many events may be left to handle behind the one that made a batch.
    package static let followers = 4
    /// The most entries in a batch that the loop writes: more is a burst, which gains from the other
    /// thread.
    static let entryLimit = 4
    /// The most payload bytes in such a batch.
    static let byteLimit = 16_384
    /// How long the loop may stand still, by what commits took before.
    static let limitMicroseconds: UInt64 = 2_000

    /// At least the last commit, and what is left of slower ones before it: the slower they were,
    /// the longer the other thread has the work.
    private(set) var expectedMicroseconds = CommitPace.limitMicroseconds

    /// Whether the loop may write this batch.
    func allows(_ batch: Batch) -> Bool {
        self.expectedMicroseconds < Self.limitMicroseconds && Self.isSmall(batch)
    }

    /// Learns how long a batch took, on whichever thread.
    mutating func note(microseconds: UInt64, of batch: Batch) {
        self.note(microseconds: microseconds, isSmall: Self.isSmall(batch))
    }

    /// Learns how long a batch took of which only that is left; a large one says nothing of the disk.
    mutating func note(microseconds: UInt64, isSmall: Bool) {
        guard isSmall else { return }
        let mean = (self.expectedMicroseconds + microseconds) / 2
        self.expectedMicroseconds = max(microseconds, mean)
    }

    /// Whether nothing in it can take long but the sync.
    static func isSmall(_ batch: Batch) -> Bool {
        guard batch.release == nil, batch.proofs.isEmpty, batch.peers.count <= self.entryLimit,
            batch.records.count <= self.entryLimit
        else { return false }
        var entries = 0
        var bytes = 0
        for append in batch.appends {
            entries += append.run.run.entries.count
            guard entries <= self.entryLimit else { return false }
            for entry in append.run.run.entries { bytes += entry.payload.count }
        }
        return bytes <= self.byteLimit
    }
}
