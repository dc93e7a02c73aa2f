package import Formats

/// What a reader has got of one sender's stream, and what it has not.
///
/// `Docs/Protocol/Ephemeral.md` section 4.
package struct StreamTally: Hashable, Sendable {
    /// What to do with a packet.
    package enum Verdict: Hashable, Sendable {
        /// Give it; so many before it have not come.
        case give(missed: UInt64)
        /// Give it, though it comes behind a later one; it was counted as missed.
        case late
        /// Drop it: it comes behind a later one, or again.
        case drop
    }

    /// The greatest number that has come.
    private var last: UInt64 = 0

    /// Of a stream of which nothing has come.
    package init() {}

    package mutating func receive(_ packet: StreamPacket) -> Verdict {
        guard packet.number > self.last else { return packet.isOrdered ? .drop : .late }
        let missed = packet.number - self.last - 1
        self.last = packet.number
        return .give(missed: missed)
    }
}
