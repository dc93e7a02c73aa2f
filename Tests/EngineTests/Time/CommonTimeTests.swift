import Testing

@testable import Engine

@Suite("The time that nodes have in common") struct CommonTimeTests {
    private static let hour: UInt64 = 3_600_000

    private static func time(_ leads: [Int64]) -> CommonTime {
        var time = CommonTime(buildTime: 0, latestOwn: HybridTime(0))
        time.look(at: Instant(monotonic: 0, wall: 10 * Self.hour))
        for (index, lead) in leads.enumerated() {
            let wall = UInt64(Int64(10 * Self.hour) + lead * Int64(Self.hour))
            time.read(wall, of: LinkID(UInt64(index)))
        }
        return time
    }

    @Test("is the median, of an even number the one nearer to the own clock")
    func median() {
        #expect(Self.time([]).now == 10 * Self.hour)
        #expect(Self.time([1]).now == 10 * Self.hour)
        #expect(Self.time([1, 1]).now == 11 * Self.hour)
        #expect(Self.time([2, 2, -1]).now == 10 * Self.hour)
        #expect(Self.time([2, 2, 2]).now == 12 * Self.hour)
    }

    @Test("a clock that differs from most is told of")
    func warning() {
        #expect(Self.time([]).warning == nil)
        #expect(Self.time([0, 0]).warning == nil)
        #expect(Self.time([1, 1, 0]).warning?.contains("60 minutes behind") == true)
    }

    @Test("own entries never go back in time")
    func own() {
        let time = Self.time([])
        let wall = HybridTime(wallMilliseconds: 10 * Self.hour)
        #expect(time.own(after: HybridTime(0)) == wall)
        #expect(time.own(after: wall) > wall)
    }
}
