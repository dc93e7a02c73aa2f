/// Whether an author is in a conversation, and the entry that says so: the one rule about members.
///
/// The latest join or leave in display order counts, whichever came first.
package struct Attendance: Hashable, Sendable {
    /// Whether that is a join.
    package var isPresent: Bool
    /// The author's clock.
    package var time: HybridTime
    /// Which of the author's logs it is in.
    package var incarnation: UInt64
    /// Its number there.
    package var seq: UInt64

    /// Notes a join or leave.
    package init(isPresent: Bool, time: HybridTime, incarnation: UInt64, seq: UInt64) {
        self.isPresent = isPresent
        self.time = time
        self.incarnation = incarnation
        self.seq = seq
    }

    /// Whether this counts rather than what another entry of the same author says; nil for none.
    package func supersedes(_ other: Attendance?) -> Bool {
        guard let other else { return true }
        return (self.time, self.incarnation, self.seq)
            > (other.time, other.incarnation, other.seq)
    }
}
