import Testing

@testable import Engine
@testable import Formats

@Suite("Profiles that stand") struct ProfilesTests {
    private static let wall: UInt64 = 1_000_000

    private static func record(_ name: String, at wall: UInt64, kind: UInt8 = 1) -> Record {
        Record(
            kind: kind, author: Harness.peer(2), conversation: nil,
            time: HybridTime(wallMilliseconds: wall),
            value: Profile(name: name, status: "").encoded, signer: signer(2))
    }

    private static var time: NodeTime {
        var time = NodeTime(buildTime: 0)
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
        _ = profiles.settle(Self.record("bob", at: 20))
        #expect(profiles.profile(of: Harness.peer(2))?.name == "bob")
        #expect(profiles.profile(of: Harness.peer(3)) == nil)
    }

    @Test("the links with early records are known in order until they have none")
    func holders() {
        var profiles = Profiles([])
        for link: UInt64 in [3, 1, 3] {
            profiles.noteEarly(1, on: LinkID(link), isKnown: false)
        }
        #expect(profiles.holders == [LinkID(1), LinkID(3)])
        profiles.dropEarly(of: LinkID(3))
        #expect(profiles.holders == [LinkID(1)])
    }

    // Shows: daemon.peers
    @Test("of links that keep too much, a stranger's with most gives way first")
    func excessiveHolder() {
        var profiles = Profiles([])
        let part = Limits.earlyRecordBytes / 4
        profiles.noteEarly(2 * part, on: LinkID(1), isKnown: true)
        profiles.noteEarly(part, on: LinkID(2), isKnown: false)
        profiles.noteEarly(part, on: LinkID(3), isKnown: false)
        #expect(profiles.excessiveHolder == nil)
        profiles.noteEarly(part + 1, on: LinkID(2), isKnown: false)
        #expect(profiles.excessiveHolder == LinkID(2))
        profiles.dropEarly(of: LinkID(2))
        #expect(profiles.excessiveHolder == nil)
        profiles.noteEarly(4 * part, on: LinkID(1), isKnown: true)
        #expect(profiles.excessiveHolder == LinkID(3))
        profiles.dropEarly(of: LinkID(3))
        profiles.noteEarly(4 * part + 1, on: LinkID(1), isKnown: true)
        #expect(profiles.excessiveHolder == LinkID(1))
    }

    @Test("records of unknown kinds stand beside them, each by its author, scope and kind")
    func unknownKinds() {
        let (ops, attic) = (room("ops").conversation, room("attic").conversation)
        func record(_ kind: UInt8, _ conversation: ConversationID?, _ value: UInt8) -> Record {
            Record(
                kind: kind, author: Harness.peer(2), conversation: conversation,
                time: HybridTime(UInt64(value)), value: [value], signer: signer(2))
        }
        let (profile, seven) = (Self.record("ada", at: 10), record(7, nil, 1))
        let (here, there) = (record(7, ops, 2), record(7, attic, 3))
        let profiles = Profiles([there, here, seven, profile])
        #expect(profiles.records(of: Harness.peer(2), in: ops) == [profile, seven, here])
        #expect(profiles.records(of: Harness.peer(2), in: attic) == [profile, seven, there])
        #expect(profiles.record(here.key) == here)
        #expect(profiles.records(of: Harness.peer(3), in: ops).isEmpty)
        // A known kind has its scope and its form.
        #expect(profile.isUsable && seven.isUsable && here.isUsable)
        #expect(!record(Record.Kind.profile, ops, 1).isUsable)
        #expect(!record(Record.Kind.profile, nil, 0x80).isUsable)
    }

    @Test("of more than sixteen kinds of an author and scope the smallest are kept")
    func bound() {
        func record(_ kind: UInt8, _ conversation: ConversationID? = nil) -> Record {
            Record(
                kind: kind, author: Harness.peer(2), conversation: conversation,
                time: HybridTime(1), value: [], signer: signer(2))
        }
        var profiles = Profiles([])
        for kind in 10..<26 as Range<UInt8> {
            #expect(profiles.settle(record(kind)).isEmpty)
            #expect(profiles.settle(record(kind, room("ops").conversation)).isEmpty)
        }
        #expect(!profiles.hasRoom(for: record(26).key))
        #expect(profiles.hasRoom(for: record(25).key), "one that is there")
        #expect(profiles.hasRoom(for: record(9).key))
        #expect(profiles.settle(record(9)) == [record(25).key])
        #expect(!profiles.hasRoom(for: record(25).key))
        #expect(profiles.record(record(25).key) == nil)
        #expect(profiles.settle(Self.record("ada", at: 10)) == [record(24).key])
        #expect(profiles.hasRoom(for: record(25, room("ops").conversation).key))
    }
}
