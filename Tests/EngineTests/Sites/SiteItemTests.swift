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

private struct Broken: Error {}

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

    // Shows: sites.letters
    @Test("in letters are read by the person alone whose inbox it is, and are the same each time")
    func letters() throws {
        let (ada, ben, cleo) = (personKeys(1, 2), personKeys(3, 4), personKeys(5, 6))
        let run = Self.log.opening(of: ada).run
        let certificate = ada.certify(signer(2), at: 1)
        let inbox = SiteInbox(siteSecret(), of: ben.publicKeys)
        let item = try #require(inbox.letter(.run(run), from: certificate))
        #expect(inbox.letter(.run(run), from: certificate) == item)
        let sealed = inbox.root.seal(item)
        let subject = inbox.root.subject(of: item.name)
        let found = try #require(inbox.root.open(sealed, subject: subject))
        guard case .letter(let letter) = found else { throw Broken() }
        let opened = try #require(letter.open(with: ben))
        #expect(opened.certificate == certificate && opened.item == .run(run))
        #expect(letter.open(with: cleo) == nil && letter.open(with: ada) == nil)
        // Nobody in the realm can tell of whom it is, or find it by what they know of the sender.
        let other = SiteInbox(siteSecret(), of: cleo.publicKeys)
        #expect(other.root.tag != inbox.root.tag)
        let encoded = item.encoded
        for index in 1..<encoded.count {
            var changed = encoded
            changed[index] ^= 1
            guard case .letter(let altered)? = try? SiteItem(decoding: changed) else { continue }
            #expect(altered.open(with: ben) == nil)
        }
        let useless = PublicPerson(signing: ben.publicKeys.signing, address: .zero)
        #expect(SiteInbox(siteSecret(), of: useless).letter(.run(run), from: certificate) == nil)
        let nested = try #require(inbox.letter(item, from: certificate))
        guard case .letter(let letter) = nested else { throw Broken() }
        #expect(letter.open(with: ben) == nil, "a letter in a letter")
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
        // What a letter has in it only its recipient can tell.
        for kind in UInt8.min ... .max where ![1, 6, 7].contains(kind) {
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
