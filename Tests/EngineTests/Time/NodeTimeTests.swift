import Testing

@testable import Engine
@testable import Formats

@Suite("What a node takes for now") struct NodeTimeTests {
    private static let hour: UInt64 = 3_600_000

    private static func time(wall: UInt64 = 10 * hour, built: UInt64 = 0) -> NodeTime {
        var time = NodeTime(buildTime: built)
        time.look(at: Instant(monotonic: 7, wall: wall))
        return time
    }

    private static func moment(_ milliseconds: UInt64) -> HybridTime {
        HybridTime(wallMilliseconds: milliseconds)
    }

    @Test("is what the own clock shows, but never before the software was built")
    func now() {
        #expect(Self.time().now == 10 * Self.hour)
        #expect(Self.time(built: 11 * Self.hour).now == 11 * Self.hour)
        #expect(Self.time(wall: 0, built: 3).now == 3)
    }

    @Test("a minute ahead is followed, five minutes ahead are shown of known people, more is held")
    func ahead() {
        let time = Self.time()
        for (ahead, isFollowed, isHeld) in [
            (0, true, false), (60_000, true, false), (60_001, false, false),
            (300_000, false, false), (300_001, false, true), (Self.hour, false, true),
        ] {
            let moment = Self.moment(time.now + ahead)
            #expect(time.isFollowed(moment) == isFollowed, "\(ahead)")
            #expect(time.isAhead(moment) == isHeld, "\(ahead)")
            #expect(time.isHeld(moment, isOfKnown: true) == isHeld, "\(ahead)")
            #expect(time.isHeld(moment, isOfKnown: false) == !isFollowed, "\(ahead)")
        }
        #expect(time.isAhead(HybridTime(.max)) && !time.isFollowed(HybridTime(.max)))
    }

    @Test("in a run all from the first on that is too far ahead is, too")
    func entries() {
        let time = Self.time()
        let entries = [0, 60_000, 61_000, 300_000, 301_000, 400_000].map {
            TestLog.text("x", at: Self.moment(time.now + $0).rawValue)
        }
        #expect(time.unfollowedFrom(entries) == 2)
        #expect(time.heldFrom(entries, isOfKnown: true) == 4)
        #expect(time.heldFrom(entries, isOfKnown: false) == 2)
        #expect(time.heldFrom(Array(entries.prefix(4)), isOfKnown: true) == 4)
        #expect(time.unfollowedFrom([]) == 0)
    }

    @Test("own entries are of now, or right behind what they follow")
    func own() {
        let time = Self.time()
        let now = Self.moment(time.now)
        #expect(time.own(after: HybridTime(0)) == now)
        #expect(time.own(after: now) == HybridTime(now.rawValue + 1))
        let early = Self.time(wall: 0, built: 5)
        #expect(early.own(after: HybridTime(0)) == Self.moment(5))
    }

    @Test("what follows anything that may be followed never needs a new incarnation")
    func incarnations() {
        let time = Self.time()
        let latest = HybridTime(
            Self.moment(time.now + Limits.followedMilliseconds + 1).rawValue - 1)
        #expect(time.isFollowed(latest))
        #expect(!time.isTooFarAhead(time.own(after: latest)))
        #expect(!time.isTooFarAhead(Self.moment(time.now + Limits.ownAheadMilliseconds - 1)))
        #expect(time.isTooFarAhead(Self.moment(time.now + Limits.ownAheadMilliseconds)))
        #expect(time.isTooFarAhead(HybridTime(.max)))
    }

    @Test(
        "no clock comes near the end of time", arguments: [UInt64.max, 1 << 63, 1 << 48, 1 << 47])
    func end(wall: UInt64) throws {
        for time in [Self.time(wall: wall), Self.time(wall: 1, built: wall)] {
            #expect(!time.isFollowed(HybridTime(.max)) && time.isAhead(HybridTime(.max)))
            let latest = Self.moment(time.now + Limits.ownAheadMilliseconds)
            #expect(time.own(after: latest) > latest)
            #expect(
                time.wait(until: HeldEntries(count: 1, first: HybridTime(.max)))
                    == Limits.releaseMilliseconds)
        }
    }
}
