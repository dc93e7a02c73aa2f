import Testing

@testable import Engine
@testable import Formats

@Suite("Large packets that are lost while small ones pass") struct LargePacketsTests {
    private static let old = Limits.youngMilliseconds
    private static let stuck = Flight(
        bytes: 3_000, resends: Limits.largeResends, segmentBytes: 1_448, arrived: 7)

    /// What was sent on a link, and is looked at.
    private static func sent(_ byteCount: Int = 3_000) -> LargePackets {
        var large = LargePackets()
        large.send(byteCount)
        large.look()
        return large
    }

    @Test("the system is asked only where a large packet may be among what has not arrived")
    func due() {
        var large = LargePackets()
        large.send(Limits.smallSegmentBytes)
        #expect(!large.isLookDue)
        large.send(1)
        #expect(large.isLookDue)
        large.ping()
        large.send(100)
        large.pong()
        #expect(!large.isLookDue)
        large.send(3_000)
        large.look()
        #expect(!large.isLookDue)
        _ = large.see(Flight(bytes: 0, resends: 0, segmentBytes: 1_448), openFor: 0)
        #expect(!large.isLookDue)
        _ = large.see(Flight(bytes: 3_000, resends: 0, segmentBytes: 1_448), openFor: 0)
        #expect(large.isLookDue)
    }

    @Test("a young link, on which its handshake has just passed, is enough")
    func young() {
        var large = Self.sent()
        let found = [
            large.see(Self.stuck, openFor: Self.old - 1), large.see(Self.stuck, openFor: 0),
        ]
        #expect(found == [true, false] && !large.isLookDue)
    }

    @Test("on an older link small packets have come in, or reached the peer")
    func old() {
        var large = Self.sent()
        var next = Self.stuck
        next.arrived += 1
        let found = [
            large.see(Self.stuck, openFor: Self.old), large.see(Self.stuck, openFor: Self.old),
            large.see(next, openFor: Self.old),
        ]
        #expect(found == [false, false, true])
        var behind = Self.stuck
        behind.behind = 1
        var other = Self.sent()
        let isFound = other.see(behind, openFor: Self.old)
        #expect(isFound)
    }

    @Test(
        "nothing is said of a network that is gone, of a first loss, nor where packets are small already",
        arguments: [
            Flight(bytes: 3_000, resends: 2, segmentBytes: 1_448),
            Flight(bytes: 536, resends: 9, segmentBytes: 1_448),
            Flight(bytes: 3_000, resends: 9, segmentBytes: 524),
        ])
    func fine(flight: Flight) {
        var large = Self.sent()
        let found = [large.see(flight, openFor: 0), large.see(flight, openFor: 0)]
        #expect(found == [false, false])
    }
}

@Suite("To whom large packets are lost") struct NarrowPathsTests {
    private static let now = Instant(monotonic: 1_000, wall: 1_000)

    @Test("is remembered by host and by peer, for an hour")
    func remembered() {
        var paths = NarrowPaths()
        let (ben, eve) = (Harness.peer(2), Harness.peer(3))
        let isNews = [1, 2].map { _ in
            paths.note(ben, "192.0.2.2:4100", .stranger, at: Self.now)
        }
        #expect(isNews == [true, false])
        #expect(paths.has([ben, nil], "192.0.2.9:1", at: Self.now))
        #expect(paths.has([nil, eve], "192.0.2.2:7", at: Self.now))
        #expect(!paths.has([eve], "192.0.2.3:4100", at: Self.now))
        let later = Instant(monotonic: 1_000 + Limits.narrowMilliseconds, wall: 1_000)
        #expect(!paths.has([ben], "192.0.2.2:4100", at: later))
    }

    @Test("strangers do not displace whom the user knows, nor those who came before")
    func crowd() {
        var paths = NarrowPaths()
        _ = paths.note(Harness.peer(2), "192.0.2.2:1", .known, at: Self.now)
        for number in 0..<1_000 as Range<UInt64> {
            let now = Instant(monotonic: 2_000 + number, wall: 0)
            _ = paths.note(
                Harness.peer(UInt8(3 + number % 200)), "198.51.100.\(number):1", .stranger, at: now)
        }
        let now = Instant(monotonic: 4_000, wall: 0)
        #expect(paths.has([Harness.peer(2)], "", at: now))
        #expect(paths.has([], "198.51.100.0:1", at: now))
        #expect(!paths.has([], "198.51.100.999:1", at: now))
    }
}
