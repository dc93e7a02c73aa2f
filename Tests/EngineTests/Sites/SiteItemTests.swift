import Crypto
import TestSupport
import Testing

@testable import Formats

/// The secret of a realm that is one byte, thirty-two times.
func siteSecret(_ byte: UInt8 = 9, realm: UInt8 = 8) -> RealmSecret {
    RealmSecret(realm: RealmID(bytes32(realm)), bytes: bytes32(realm == 8 ? byte : realm))
}

func bytes32(_ byte: UInt8) -> Bytes32 {
    Bytes32([UInt8](repeating: byte, count: 32)) ?? .zero
}

/// A room in the realm of ``siteSecret(_:realm:)``.
func siteRoom(_ text: String) -> Room {
    guard let name = RoomName(text) else { preconditionFailure("\(text) is a room name") }
    return Room(name, in: RealmID(bytes32(8)))
}

@Suite("Items of sites") struct SiteItemTests {
    private static let room = siteRoom("ops")
    private static let root = SiteRoot(siteSecret(), room.conversation)
    private static let log = TestLog(signer(2), in: room.conversation)
    private static let item = SiteItem.run(log.opening().run)

    // Shows: sites.blind
    @Test("open for whoever has the root, under their own subject alone")
    func sealed() {
        let subject = Self.root.subject(of: Self.item.name)
        let sealed = Self.root.seal(Self.item)
        #expect(Self.root.open(sealed, subject: subject) == Self.item)
        #expect(Self.root.seal(Self.item) == sealed, "the same item gives the same bytes")
        let next = Self.log.run(
            [TestLog.text("next", at: 2)], first: 2, prev: Self.log.opening().ids[0])
        let other = Self.root.subject(of: SiteItem.run(next.run).name)
        #expect(other != subject)
        #expect(Self.root.open(sealed, subject: other) == nil, "moved to another place")
        for root in [
            SiteRoot(siteSecret(10), Self.room.conversation),
            SiteRoot(siteSecret(), siteRoom("else").conversation), SiteRoot(siteSecret()),
        ] {
            #expect(root.open(sealed, subject: subject) == nil)
            #expect(root.tag != Self.root.tag)
        }
    }

    // Shows: sites.blind
    @Test("are refused with any bit changed, cut anywhere, or with more behind them")
    func damaged() {
        let subject = Self.root.subject(of: Self.item.name)
        let sealed = Self.root.seal(Self.item)
        for index in sealed.indices {
            var changed = sealed
            changed[index] ^= 1
            #expect(Self.root.open(changed, subject: subject) == nil)
            #expect(Self.root.open(Array(sealed[..<index]), subject: subject) == nil)
        }
        #expect(Self.root.open(sealed + [0], subject: subject) == nil)
    }

    @Test("subjects have three parts that a server takes, and the same wherever they are made")
    func subjects() {
        let subject = Self.root.subject(of: Self.item.name)
        let parts = subject.split(separator: ".")
        #expect(parts.count == 3 && parts[0] == "stoa" && parts[1] == Self.root.tag)
        #expect(parts.dropFirst().allSatisfy { $0.count == 26 })
        // Frozen: nodes of all versions meet there.
        #expect(Self.root.tag == "ep6kjzvhszte3ueemovdmhbs4y")
        #expect(subject == "stoa.ep6kjzvhszte3ueemovdmhbs4y.xhm5sszymsj2d64ndw3dog2egi")
    }

    @Test("of a secret room are named and sealed by its own root, which the realm does not give")
    func secretRoom() throws {
        let name = try #require(RoomName("vault"))
        let secret = SecretRoom(
            realm: RealmID(bytes32(8)), name: name, suite: .xchacha20Poly1305, root: bytes32(7))
        let root = try #require(SiteRoot(.secret(secret), by: siteSecret()))
        #expect(root == SiteRoot(.secret(secret), by: siteSecret(10)), "a renewal changes nothing")
        #expect(root.tag != SiteRoot(siteSecret(), secret.id).tag)
    }

    @Test("of no kind that is known are refused, as is what is cut")
    func kinds() {
        let encoded = Self.item.encoded
        for kind in UInt8.min ... .max where kind != 1 && kind != 7 {
            #expect(throws: (any Error).self) {
                _ = try SiteItem(decoding: [kind] + encoded.dropFirst())
            }
        }
        for count in encoded.indices {
            #expect(throws: (any Error).self) {
                _ = try SiteItem(decoding: Array(encoded[..<count]))
            }
        }
    }
}
