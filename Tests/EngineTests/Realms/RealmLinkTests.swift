import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("Realms of a link")
struct RealmLinkTests {
    private static let office = Realm(
        id: RealmID(fixed32(1)), name: realmName("office"), secret: fixed32(2))
    private static let ops = Room(room("ops").name, in: office.id)
    private static let info = LinkInfo(to: Harness.peer(2), boot: 2)
    private static let tags = LinkTags(exporter: info.exporter, role: info.role)

    /// A node that is in the office, and in `ops` there and in the open.
    private static func harness(_ realm: Realm = office, isInOpen: Bool = true) -> Harness {
        var harness = Harness(realms: Realms([realm], isInOpen: isInOpen))
        for room in [Self.ops, room("ops")] {
            harness.join(room)
            harness.settle()
        }
        return harness
    }

    private static func tag(_ bytes: UInt8, by role: LinkRole) -> Bytes16 {
        self.tags.realm(RealmSecret(realm: self.office.id, bytes: fixed32(bytes)), by: role)
    }

    private static func realms(_ tags: Bytes16...) -> Frame {
        var random = SeededRandom(seed: 5)
        return .realms(
            LinkTags.filled(tags, to: Limits.realmTagCounts) {
                Bytes16(random.bytes(16)) ?? .zero
            })
    }

    /// Opens the link, over which the peer has said nothing yet.
    private static func open(_ harness: inout Harness) {
        harness.give(
            .linkOpened(LinkID(2), Self.info, address: "192.0.2.2:4100", dial: nil))
    }

    private static func announced(_ frames: [Frame]) -> [Bytes16: [RoomName]] {
        var found: [Bytes16: [RoomName]] = [:]
        for case .rooms(let tag, let names) in frames { found[tag, default: []] += names }
        return found
    }

    private static func isShared(_ room: Room, _ harness: Harness) -> Bool {
        harness.node.links.isShared(room.conversation, on: LinkID(2))
    }

    @Test("before the peer has shown a realm it hears of nothing but tags")
    func silence() {
        var harness = Self.harness()
        Self.open(&harness)
        for frame in harness.take(from: 2) {
            switch frame {
            case .ping, .realms, .shares: break
            default: Issue.record("\(frame)")
            }
        }
    }

    @Test("a common realm's rooms are announced under its tag, and shared there alone")
    func common() {
        var harness = Self.harness()
        Self.open(&harness)
        harness.give(Self.realms(Self.tag(2, by: Self.tags.peer)), from: 2)
        let own = Self.tag(2, by: Self.tags.own)
        #expect(Self.announced(harness.take(from: 2)) == [own: [Self.ops.name]])
        // The open realm is not common: its tag has not come.
        harness.give(.rooms(Self.tags.realm(.open, by: Self.tags.peer), [Self.ops.name]), from: 2)
        #expect(!Self.isShared(room("ops"), harness) && !Self.isShared(Self.ops, harness))
        harness.give(.rooms(Self.tag(2, by: Self.tags.peer), [Self.ops.name]), from: 2)
        #expect(Self.isShared(Self.ops, harness) && !Self.isShared(room("ops"), harness))
    }

    @Test("the log has no name of a secret room, which an alert has")
    func logged() {
        var harness = Self.harness()
        let war = SecretRoom(
            realm: .open, name: room("war").name, suite: .xchacha20Poly1305, root: fixed32(77))
        harness.node.conversations.table[war.id] = Conversation(.secret(war), isJoined: true)
        let short = war.id.description.prefix(8)
        harness.node.tellCrowded(war.id)
        Self.open(&harness)
        let alert = harness.node.status(at: harness.now).alerts.first?.text
        #expect(alert?.contains("war has as many logs") == true)
        #expect(harness.logged.contains { $0.hasPrefix("\(short) has as many logs") })
        #expect(!harness.logged.contains { $0.contains("war") })
        let names = harness.node.names(of: [war.id, Self.ops.conversation], inLog: true)
        #expect(names == "\(short), office/ops")
    }

    // Shows: told.tags
    @Test(
        "tags that are sent back are not believed: neither of realms, nor of rooms, nor of others")
    func mirrored() throws {
        var harness = Self.harness()
        let war = SecretRoom(
            realm: .open, name: room("war").name, suite: .xchacha20Poly1305, root: fixed32(77))
        let hidden = war.id
        harness.node.conversations.table[hidden] = Conversation(.secret(war), isJoined: true)
        Self.open(&harness)
        for frame in harness.take(from: 2) {
            switch frame {
            case .realms, .shares: harness.give(frame, from: 2)
            default: break
            }
        }
        #expect(harness.take(from: 2) == [], "nothing is told to a mirror")
        #expect(harness.node.links[LinkID(2)].realms.common.isEmpty)
        // Even where the realm is common, its own tags show nothing.
        harness.give(.realms(Harness.realmTags(Self.info)), from: 2)
        let shares = harness.take(from: 2).filter { if case .shares = $0 { true } else { false } }
        #expect(shares.count == 1, "what is hidden is shown under a common realm")
        for frame in shares { harness.give(frame, from: 2) }
        harness.give(.rooms(Self.tags.realm(.open, by: Self.tags.own), [Self.ops.name]), from: 2)
        #expect(!Self.isShared(room("ops"), harness))
        #expect(!harness.node.links.isShared(hidden, on: LinkID(2)))
    }

    @Test("a conversation that is no open room is shared by its tag, and unshared without it")
    func shares() {
        var harness = Self.harness()
        let war = SecretRoom(
            realm: Self.office.id, name: room("war").name, suite: .xchacha20Poly1305,
            root: fixed32(77))
        let hidden = war.id
        harness.node.conversations.table[hidden] = Conversation(.secret(war), isJoined: true)
        func frame(_ tags: UInt64...) -> Frame {
            var random = SeededRandom(seed: 6)
            return .shares(LinkTags.filled(tags, to: Limits.shareTagCounts) { random.next() })
        }
        let tag = Self.tags.share(hidden, by: Self.tags.peer)
        Self.open(&harness)
        harness.give(frame(tag), from: 2)
        #expect(!harness.node.links.isShared(hidden, on: LinkID(2)), "the realm is not common")
        harness.give(Self.realms(Self.tag(2, by: Self.tags.peer)), from: 2)
        #expect(harness.node.links.isShared(hidden, on: LinkID(2)))
        let sent = harness.take(from: 2).compactMap { frame -> [UInt64]? in
            if case .shares(let tags) = frame { tags } else { nil }
        }
        #expect(sent.allSatisfy { $0.count == 16 })
        #expect(sent.first?.contains(Self.tags.share(hidden, by: Self.tags.own)) == false)
        #expect(sent.last?.contains(Self.tags.share(hidden, by: Self.tags.own)) == true)
        harness.give(frame(), from: 2)
        #expect(!harness.node.links.isShared(hidden, on: LinkID(2)))
    }

    @Test("no log is taken of a conversation before it is shared on the link that brings it")
    func unshared() {
        var harness = Self.harness()
        let war = SecretRoom(
            realm: .open, name: room("war").name, suite: .xchacha20Poly1305, root: fixed32(77))
        harness.give(.request(RequestID(9), .joinSecret(war)))
        harness.settle()
        Self.open(&harness)
        harness.give(Self.realms(Self.tags.realm(.open, by: Self.tags.peer)), from: 2)
        let log = TestLog(signer(2), in: war.id)
        func isHere() -> Bool {
            for frame in [Frame.liveRun(log.opening().run), .syncRun(log.opening().run)] {
                harness.give(frame, from: 2)
                harness.settle()
            }
            return harness.node.conversations.table[war.id]?.logs.has(log.key.name) ?? false
        }
        #expect(!isHere())
        var random = SeededRandom(seed: 6)
        let tag = Self.tags.share(war.id, by: Self.tags.peer)
        let shares = LinkTags.filled([tag], to: Limits.shareTagCounts) { random.next() }
        harness.give(.shares(shares), from: 2)
        #expect(isHere())
    }

    @Test("a realm that is left, here or there, is shared no longer; joined again it is")
    func leaving() {
        var harness = Self.harness()
        harness.link(2, in: [room("ops")])
        let both = Self.realms(
            Self.tag(2, by: Self.tags.peer), Self.tags.realm(.open, by: Self.tags.peer))
        harness.give(both, from: 2)
        harness.give(.rooms(Self.tag(2, by: Self.tags.peer), [Self.ops.name]), from: 2)
        #expect(Self.isShared(Self.ops, harness) && Self.isShared(room("ops"), harness))
        _ = harness.take(from: 2)
        harness.give(.realms(Realms()))
        #expect(!Self.isShared(Self.ops, harness) && Self.isShared(room("ops"), harness))
        harness.give(.realms(Realms([Self.office])))
        let own = Self.tag(2, by: Self.tags.own)
        #expect(Self.announced(harness.take(from: 2)) == [own: [Self.ops.name]])
        harness.give(.rooms(Self.tag(2, by: Self.tags.peer), [Self.ops.name]), from: 2)
        #expect(Self.isShared(Self.ops, harness))
        harness.give(Self.realms(Self.tags.realm(.open, by: Self.tags.peer)), from: 2)
        #expect(!Self.isShared(Self.ops, harness) && Self.isShared(room("ops"), harness))
    }

    @Test("rooms are announced again under a new secret that both hold, once")
    func renewedRooms() {
        let renewed = Realm(
            id: Self.office.id, name: Self.office.name, secret: fixed32(3),
            previous: Realm.Previous(secret: fixed32(2), until: 1_005_000))
        var harness = Self.harness(renewed, isInOpen: false)
        Self.open(&harness)
        harness.give(Self.realms(Self.tag(2, by: Self.tags.peer)), from: 2)
        let old = Self.tag(2, by: Self.tags.own)
        #expect(Self.announced(harness.take(from: 2)) == [old: [Self.ops.name]])
        let both = Self.realms(Self.tag(2, by: Self.tags.peer), Self.tag(3, by: Self.tags.peer))
        harness.give(both, from: 2)
        let new = Self.tag(3, by: Self.tags.own)
        #expect(Self.announced(harness.take(from: 2)) == [new: [Self.ops.name]])
        harness.give(both, from: 2)
        #expect(Self.announced(harness.take(from: 2)).isEmpty)
    }

    @Test("either secret of a renewed realm counts until the old one ends, and then the link ends")
    func renewal() {
        let renewed = Realm(
            id: Self.office.id, name: Self.office.name, secret: fixed32(3),
            previous: Realm.Previous(secret: fixed32(2), until: 1_005_000))
        var harness = Self.harness(renewed, isInOpen: false)
        #expect(harness.secrets?.map(\.bytes) == [fixed32(3), fixed32(2)])
        Self.open(&harness)
        harness.give(Self.realms(Self.tag(2, by: Self.tags.peer)), from: 2)
        harness.give(.rooms(Self.tag(2, by: Self.tags.peer), [Self.ops.name]), from: 2)
        #expect(Self.isShared(Self.ops, harness))
        harness.now = Instant(monotonic: 6_000, wall: 1_005_000)
        harness.give(.timer(.secrets))
        #expect(harness.secrets?.map(\.bytes) == [fixed32(3)])
        #expect(!harness.node.links.has(LinkID(2)), "nothing is common any longer")
        // Who has the new secret by then stays, also where the clock is set to that moment.
        var other = Self.harness(renewed, isInOpen: false)
        Self.open(&other)
        other.give(
            Self.realms(Self.tag(2, by: Self.tags.peer), Self.tag(3, by: Self.tags.peer)), from: 2)
        other.give(.rooms(Self.tag(3, by: Self.tags.peer), [Self.ops.name]), from: 2)
        other.now.wall = 1_005_000
        other.give(.clockSet)
        #expect(other.secrets?.map(\.bytes) == [fixed32(3)])
        #expect(other.node.links.has(LinkID(2)) && Self.isShared(Self.ops, other))
    }

    // Shows: told.profile
    @Test("the own profile goes to fellows and to who shares a conversation, to nobody else")
    func profile() {
        func isTold(_ frames: [Frame]) -> Bool {
            frames.contains { if case .records = $0 { true } else { false } }
        }
        var harness = Self.harness()
        Self.open(&harness)
        harness.give(.realms(Harness.realmTags(Self.info)), from: 2)
        #expect(!isTold(harness.take(from: 2)), "the open realm alone tells no name")
        harness.give(.rooms(Harness.openTag(Self.info), [Self.ops.name]), from: 2)
        #expect(isTold(harness.take(from: 2)))
        var fellow = Self.harness()
        Self.open(&fellow)
        fellow.give(Self.realms(Self.tag(2, by: Self.tags.peer)), from: 2)
        #expect(isTold(fellow.take(from: 2)))
    }

    // Shows: daemon.peers
    @Test(
        "a peer that leaves rooms and comes back again and again is turned away; who leaves many is not"
    )
    func returns() {
        var harness = Harness()
        let rooms = (0..<60).map { room("r\($0)") }
        for room in rooms { harness.join(room) }
        harness.settle()
        harness.link(2, in: rooms)
        for room in rooms { harness.give(.roomsLeft([room.conversation]), from: 2) }
        let tag = Harness.openTag(LinkInfo(to: Harness.peer(2), boot: 2))
        func comeBack() {
            harness.give(.rooms(tag, [rooms[0].name]), from: 2)
            harness.give(.roomsLeft([rooms[0].conversation]), from: 2)
        }
        for _ in 0..<Limits.roomReturnsPerPing { comeBack() }
        #expect(harness.node.links.has(LinkID(2)))
        harness.give(.timer(.ping(LinkID(2))))
        // The first of these comes back from before the ping.
        for _ in 0...Limits.roomReturnsPerPing { comeBack() }
        #expect(harness.node.links.has(LinkID(2)))
        harness.give(.rooms(tag, [rooms[0].name]), from: 2)
        #expect(!harness.node.links.has(LinkID(2)))
    }

    @Test("a peer that changes its realms again and again is turned away")
    func flood() {
        var harness = Self.harness()
        Self.open(&harness)
        let frame = Self.realms(Self.tags.realm(.open, by: Self.tags.peer))
        for _ in 0..<Limits.realmChangesPerPing { harness.give(frame, from: 2) }
        #expect(harness.node.links.has(LinkID(2)))
        harness.give(frame, from: 2)
        #expect(!harness.node.links.has(LinkID(2)))
    }
}
