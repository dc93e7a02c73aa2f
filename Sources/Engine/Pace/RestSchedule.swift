/// Decides when the daemon is at rest, so that it gives back the memory that work has left.
///
/// It is once the store was not used for some seconds: whatever takes memory uses it. Time is an
/// argument, in monotonic milliseconds; nothing is given back here.
package struct RestSchedule {
    /// For how long the store must not have been used, so that nobody who writes or reads on waits for
    /// what was given back.
    package static let quietMilliseconds: UInt64 = 10_000

    private enum State {
        case resting
        /// ``due(at:)`` is going to be asked.
        case planned
        /// The store gives back what it has; asking it for that is the first of these uses.
        case givingBack(uses: Int)
    }

    private var state = State.resting
    private var usedAt: UInt64 = 0

    package init() {}

    /// The store is used; true where ``due(at:)`` is to be asked after ``quietMilliseconds``.
    package mutating func used(at now: UInt64) -> Bool {
        self.usedAt = now
        switch self.state {
        case .resting:
            self.state = .planned
            return true
        case .planned: return false
        case .givingBack(let uses):
            self.state = .givingBack(uses: uses + 1)
            return false
        }
    }

    /// The time has come to look: nil where memory is to be given back now, which ends with ``rested()``;
    /// else after how many milliseconds to look again.
    package mutating func due(at now: UInt64) -> UInt64? {
        let quiet = now - min(now, self.usedAt)
        guard quiet >= Self.quietMilliseconds else { return Self.quietMilliseconds - quiet }
        self.state = .givingBack(uses: 0)
        return nil
    }

    /// Memory was given back; true where the store was used meanwhile, so that ``due(at:)`` is to be asked
    /// after ``quietMilliseconds``.
    package mutating func rested() -> Bool {
        guard case .givingBack(let uses) = self.state, uses > 1 else {
            self.state = .resting
            return false
        }
        self.state = .planned
        return true
    }
}
