/// Decides which queries the loop's thread answers itself, by how long such have taken.
///
/// To ask the store's thread and to hear from it are two wake-ups, about 50 µs, which is as much as
/// a page of a conversation takes where the system has it in memory. Where it has to come from a
/// disk, links and other clients would wait for it, and the store's thread does. As ``CommitPace``.
package struct ReadPace {
    /// How many rooms a list may have: each costs some lookups.
    package static let roomLimit = 64
    /// How many messages a page may have.
    package static let pageLimit = 256
    /// How many rows may be looked at for a page of what has arrived.
    package static let rowLimit = 512
    /// How long the loop may stand still for one query, by what queries took before, and for all of
    /// one turn.
    static let limitMicroseconds: UInt64 = 1_000

    /// At least the last query, and what is left of slower ones before it.
    private(set) var expectedMicroseconds = ReadPace.limitMicroseconds
    /// What the queries of this turn took.
    private var spentMicroseconds: UInt64 = 0

    /// Whether the loop may answer a small query.
    var allowsQuery: Bool {
        self.expectedMicroseconds < Self.limitMicroseconds && !self.isTurnSpent
    }

    /// Whether this turn of the loop has answered as much as it may.
    var isTurnSpent: Bool { self.spentMicroseconds >= Self.limitMicroseconds }

    /// Begins a turn of the loop.
    mutating func beginTurn() { self.spentMicroseconds = 0 }

    /// Learns how long a small query took, on the loop or on the store's thread.
    mutating func note(microseconds: UInt64, isOnLoop: Bool) {
        if isOnLoop { self.spentMicroseconds += microseconds }
        let mean = (self.expectedMicroseconds + microseconds) / 2
        self.expectedMicroseconds = max(microseconds, mean)
    }
}
