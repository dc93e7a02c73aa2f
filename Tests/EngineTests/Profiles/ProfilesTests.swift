import Testing

@testable import Engine

@Suite("Profiles that stand") struct ProfilesTests {
    private static let wall: UInt64 = 1_000_000

    private static func record(_ name: String, at wall: UInt64, kind: UInt8 = 1) -> Record {
        Record(
            kind: kind, author: Harness.peer(2), conversation: nil,
            time: HybridTime(wallMilliseconds: wall),
            value: Profile(name: name, status: "").encoded, signer: signer(2))
    }

    private static var time: CommonTime {
        var time = CommonTime(buildTime: 0, latestOwn: HybridTime(0))
        time.look(at: Instant(monotonic: 0, wall: Self.wall))
        return time
    }

    @Test("a later one takes the place of an earlier one, but of one that is ahead any does")
    func place() {
        let (early, late) = (Self.record("ada", at: 10), Self.record("bob", at: 20))
        let ahead = Self.record("eve", at: Self.wall + 2 * Limits.aheadMilliseconds)
        #expect(Profiles.takesPlace(early, of: nil, Self.time))
        #expect(Profiles.takesPlace(late, of: early, Self.time))
        #expect(!Profiles.takesPlace(early, of: late, Self.time))
        #expect(!Profiles.takesPlace(early, of: early, Self.time))
        #expect(Profiles.takesPlace(early, of: ahead, Self.time))
    }

    @Test("are those of the disk, without records of other kinds")
    func restored() {
        let other = Self.record("none", at: 30, kind: 9)
        var profiles = Profiles([Self.record("ada", at: 10), other])
        #expect(profiles.profile(of: Harness.peer(2))?.name == "ada")
        profiles.settle(Self.record("bob", at: 20))
        #expect(profiles.profile(of: Harness.peer(2))?.name == "bob")
        #expect(profiles.profile(of: Harness.peer(3)) == nil)
    }

    @Test("the links with early records are known in order until they have none")
    func holders() {
        var profiles = Profiles([])
        for link: UInt64 in [3, 1, 3] { profiles.noteEarly(on: LinkID(link)) }
        #expect(profiles.holders == [LinkID(1), LinkID(3)])
        profiles.dropEarly(of: LinkID(3))
        #expect(profiles.holders == [LinkID(1)])
    }
}
