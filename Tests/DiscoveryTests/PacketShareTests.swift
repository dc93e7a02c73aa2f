import Testing

@testable import Discovery

@Suite struct PacketShareTests {
    /// What packets take in ten seconds of which each takes so long, as many as may be read.
    private static func share(of packet: UInt64) -> Double {
        var share = PacketShare()
        var (now, taken): (UInt64, UInt64) = (1_000_000, 0)
        while now < 11_000_000 {
            now += packet
            taken += packet
            if let rest = share.take(packet, at: now) { now += rest }
        }
        return Double(taken) / 10_000_000
    }

    @Test(
        "however long each takes, packets have a third of the processor, and a burst",
        arguments: [50, 1_000, 90_000])
    func flood(packet: UInt64) {
        let share = Self.share(of: packet)
        let burst = Double(PacketShare.burstMicroseconds) / 10_000_000
        #expect((0.28...0.34 + burst).contains(share), "\(share)")
    }

    @Test("what a quiet network sends is read at once, and so is what comes in a burst behind it")
    func quiet() {
        var share = PacketShare()
        var now: UInt64 = 0
        for _ in 0..<1_000 {
            now += 10_000
            #expect(share.take(1_000, at: now) == nil)
        }
        for _ in 0..<200 {
            now += 1_000
            #expect(share.take(1_000, at: now) == nil)
        }
    }

    @Test("a clock that stands still gives nothing, and traps nothing")
    func still() {
        var share = PacketShare()
        #expect(share.take(UInt64(PacketShare.burstMicroseconds), at: 5) == nil)
        #expect(share.take(10, at: 5) == UInt64(PacketShare.shortestRestMicroseconds))
        #expect(share.take(.max, at: 5) != nil)
        #expect(share.take(10, at: .max) == nil)
    }
}
