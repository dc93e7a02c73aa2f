/// Whether an author is in a conversation, and the entry that says so: the one rule about members.
///
/// The latest join or leave in display order counts, whichever came first.
public struct Attendance: Hashable, Sendable {
    /// Whether that is a join.
    public var isPresent: Bool
    /// The author's clock.
    public var time: HybridTime
    /// Which of the author's logs it is in.
    public var incarnation: UInt64
    /// Its number there.
    public var seq: UInt64

    /// Notes a join or leave.
    public init(isPresent: Bool, time: HybridTime, incarnation: UInt64, seq: UInt64) {
        self.isPresent = isPresent
        self.time = time
        self.incarnation = incarnation
        self.seq = seq
    }

    /// Whether this counts rather than what another entry of the same author says; nil for none.
    public func supersedes(_ other: Attendance?) -> Bool {
        guard let other else { return true }
        return (self.time, self.incarnation, self.seq)
            > (other.time, other.incarnation, other.seq)
    }
}
