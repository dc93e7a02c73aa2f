/// How much of the processor what comes by multicast DNS may take: a part of it all the time, and so much at once.
///
/// Anybody on the network can send as many packets as it carries, and where many instances are announced the library
/// takes a millisecond for each. What is not read the kernel drops, as the network may: all is announced and asked
/// again.
struct PacketShare {
    /// What an office that fills up takes within seconds.
    static let burstMicroseconds: Int64 = 250_000
    /// All the time, a third.
    static let part: Int64 = 3
    /// A rest is no shorter, or each packet would have its own.
    static let shortestRestMicroseconds: Int64 = 20_000

    /// What may still be taken at once; below zero what is owed.
    private var left = Self.burstMicroseconds
    private var countedAt: UInt64 = 0

    /// Counts time of the processor that a packet has taken; gives for how long no other is to be read, or nil.
    ///
    /// While the library is late with what it does at some time, that is at least as long as the packet took: it does
    /// one thing each time that it is woken, so in a flood each of the many that it takes to look something up would
    /// wait for a packet of its own. All in microseconds, the moment by a clock that does not go back.
    mutating func take(_ taken: UInt64, isLate: Bool, at now: UInt64) -> UInt64? {
        let gained = Int64(clamping: now - min(now, self.countedAt)) / Self.part
        self.countedAt = now
        self.left = min(Self.burstMicroseconds, self.left + gained)
        self.left -= Int64(clamping: min(taken, 1_000_000))
        guard self.left < 0 else { return isLate ? taken : nil }
        return UInt64(max(Self.shortestRestMicroseconds, -self.left * Self.part))
    }
}
