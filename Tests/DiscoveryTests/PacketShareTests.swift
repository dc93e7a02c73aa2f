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
            if let rest = share.take(packet, isLate: false, at: now) { now += rest }
        }
        return Double(taken) / 10_000_000
    }

    // Shows: mdns.processor
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
            #expect(share.take(1_000, isLate: false, at: now) == nil)
        }
        for _ in 0..<200 {
            now += 1_000
            #expect(share.take(1_000, isLate: false, at: now) == nil)
        }
    }

    @Test("what is due meanwhile has as long as a packet took before the next one")
    func late() {
        var share = PacketShare()
        #expect(share.take(8_000, isLate: true, at: 1_000_000) == 8_000)
        #expect(share.take(8_000, isLate: false, at: 1_020_000) == nil)
        // Where packets take more than their share the rest is longer anyway.
        let many = UInt64(PacketShare.burstMicroseconds)
        var other = share
        #expect(
            share.take(many, isLate: true, at: 1_030_000)
                == other.take(many, isLate: false, at: 1_030_000))
    }

    @Test("a clock that stands still gives nothing, and traps nothing")
    func still() {
        var share = PacketShare()
        #expect(share.take(UInt64(PacketShare.burstMicroseconds), isLate: false, at: 5) == nil)
        #expect(
            share.take(10, isLate: false, at: 5) == UInt64(PacketShare.shortestRestMicroseconds))
        #expect(share.take(.max, isLate: false, at: 5) != nil)
        #expect(share.take(10, isLate: false, at: .max) == nil)
    }
}
