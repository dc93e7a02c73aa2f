import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("The realms of a node")
struct RealmsTests {
    private static let office = Realm(
        id: RealmID(fixed32(1)), name: realmName("office"), secret: fixed32(2),
        previous: Realm.Previous(secret: fixed32(9), until: 1_000))
    private static let lab = Realm(
        id: RealmID(fixed32(3)), name: realmName("lab"), secret: fixed32(4))
    private static let left = [RealmID(fixed32(7)): realmName("attic")]

    private static func realms(_ defaultName: String = "open") -> Realms {
        Realms([self.office, self.lab], defaultName: realmName(defaultName), left: self.left)
    }

    @Test("have names of letters, digits and hyphens, in every script")
    func names() {
        for text in ["a", "office-2", "0", "é", "ห้อง", String(repeating: "한", count: 32)] {
            #expect(RealmName(text)?.text == text)
        }
        #expect(RealmName(typed: "E\u{301}cole")?.text == "école")
        for text in ["", "-a", "Office", "a_b", "a/b", ".", String(repeating: "x", count: 33)] {
            #expect(RealmName(text) == nil, "\(text)")
        }
    }

    @Test("give a room of the same name another id in each")
    func conversations() {
        let ids = [RealmID.open, RealmID(fixed32(1)), RealmID(fixed32(3))].map {
            Room(room("ops").name, in: $0).conversation
        }
        #expect(Set(ids).count == 3)
    }

    @Test(
        "have their secrets tried newest first, those of the default realm first, the open one last"
    )
    func secrets() {
        let secrets = Self.realms("office").secrets(at: 999)
        #expect(
            secrets == [
                RealmSecret(realm: RealmID(fixed32(1)), bytes: fixed32(2)),
                RealmSecret(realm: RealmID(fixed32(1)), bytes: fixed32(9)),
                RealmSecret(realm: RealmID(fixed32(3)), bytes: fixed32(4)), .open,
            ])
        #expect(Self.realms().nextEnd(after: 999) == 1_000)
        #expect(Self.realms("office").secrets(at: 1_000).count == 3, "an earlier secret ends")
        #expect(Self.realms().nextEnd(after: 1_000) == nil)
        var closed = Self.realms()
        closed.isInOpen = false
        #expect(!closed.secrets(at: 0).contains(.open) && !closed.contains(.open))
    }

    @Test("a new secret leaves the id, and the old secret counts until its end")
    func renewal() {
        var random = SeededRandom(seed: 1)
        let realm = Realm.make(realmName("cafe"), using: &random)
        let renewed = realm.renewed(until: 50, using: &random)
        #expect(renewed.id == realm.id && renewed.secret != realm.secret)
        #expect(renewed.secrets(at: 49).map(\.bytes) == [renewed.secret, realm.secret])
        #expect(renewed.secrets(at: 50).map(\.bytes) == [renewed.secret])
        #expect(renewed.renewed(until: 90, using: &random).secrets(at: 0).count == 2)
    }

    @Test("a room is written with its realm, except in the default one")
    func writing() {
        let ops = room("ops").name
        let rooms = [
            Room(ops, in: .open), Room(ops, in: Self.office.id), Room(ops, in: Self.lab.id),
        ]
        #expect(rooms.map(Self.realms().text(of:)) == ["ops", "office/ops", "lab/ops"])
        #expect(rooms.map(Self.realms("lab").text(of:)) == ["open/ops", "office/ops", "ops"])
        #expect(Self.realms().text(of: Room(ops, in: RealmID(fixed32(7)))) == "attic/ops")
        let unknown = RealmID(fixed32(8))
        #expect(
            Self.realms().text(of: Room(ops, in: unknown)) == "\(unknown.description.prefix(8))/ops"
        )
    }

    @Test("what is written is read back, and a bare name means the default realm")
    func reading() throws {
        let ops = room("ops").name
        for realm in [RealmID.open, Self.office.id, Self.lab.id, RealmID(fixed32(7))] {
            for defaultName in ["open", "lab", "office"] {
                let (realms, room) = (Self.realms(defaultName), Room(ops, in: realm))
                #expect(try realms.room(typed: realms.text(of: room)) == room)
            }
        }
        #expect(try Self.realms("lab").room(typed: "#Ops").realm == Self.lab.id)
        #expect(try Self.realms("lab").room(typed: "Office/Ops").realm == Self.office.id)
        #expect(try Self.realms("lab").room(typed: "open/ops").realm == .open)
    }

    @Test("a name that is none, and a realm that is not known, are told apart")
    func refusals() {
        let realms = Self.realms()
        for text in ["", "/", "office/", "/ops", "a/b/c", "of fice/ops", "office/-x"] {
            #expect(throws: NameError.malformed(text)) { try realms.room(typed: text) }
        }
        #expect(throws: NameError.unknownRealm("cellar")) { try realms.room(typed: "cellar/ops") }
        // A default realm that was not joined yet must not become the open one.
        #expect(throws: NameError.unknownRealm("later")) {
            try Self.realms("later").room(typed: "ops")
        }
    }
}
