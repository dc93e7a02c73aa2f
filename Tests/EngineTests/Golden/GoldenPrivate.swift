import Crypto
import Testing

@testable import Engine
@testable import Formats

/// The lines of `private-2.txt`, made by this implementation.
struct GoldenPrivate {
    private(set) var lines: [String: [UInt8]] = [:]

    private static let ada = personKeys(0xa1, 0xa2)
    private static let bea = personKeys(0xb1, 0xb2)
    /// As a keyboard wrote it that puts accents behind their letters.
    private static let typed =
        "\u{2003}Zwo\u{308}lf  Ko\u{308}nige\u{a0}sa\u{30a}ngen \u{395}\u{301}\u{3bd}\u{3b1}\u{3000}"
        + "\u{3a4}\u{3a1}\u{391}\u{393}\u{39f}\u{3a5}\u{394}\u{399} \u{1112}\u{1161}\u{11ab}\n"
    /// The numbers of the first five words.
    private static let places = [0, 1_111, 2_222, 4_444, 7_775]

    init(_ story: GoldenStory) throws {
        try self.directs(story)
        let first = Self.places.map { Phrase.word($0) }
        for suite in ConversationKey.Suite.allCases {
            let words = first + [Phrase.check(first, suite)]
            let phrase = try Phrase(words.joined(separator: " "))
            #expect(phrase.suite == suite)
            self.lines["phrase.\(suite.name)"] = Array(phrase.text.utf8)
        }
        self.lines["phrase.typed"] = Array(Self.typed.utf8)
        let chosen = try Phrase(Self.typed)
        self.lines["phrase.chosen"] = Array(chosen.text.utf8)
        let room = try Self.made().room(
            try #require(RoomName("war-room")), in: .open, suite: .xchacha20Poly1305)
        self.write(room, "secret", "invitation.room")
        let hall = try chosen.room(
            try #require(RoomName("caf\u{e9}")), in: story.circle.realm, suite: .aes256GCM)
        self.write(hall, "secret.circle", "invitation.room.circle")
        self.lines["backup.content"] = try Self.backup(story, room).encoded
    }

    /// The phrase of the room, and of the backup.
    static func made() throws -> Phrase {
        let first = Self.places.map { Phrase.word($0) }
        let words = first + [Phrase.check(first, .xchacha20Poly1305)]
        return try Phrase(words.joined(separator: " "))
    }

    private mutating func directs(_ story: GoldenStory) throws {
        let (ada, bea) = (Self.ada, Self.bea)
        let device = PeerID(story.bea.publicKey)
        let direct = try DirectConversation(of: ada, with: bea.publicKeys, at: device)
        let other = try DirectConversation(of: bea, with: ada.publicKeys, at: device)
        #expect(direct.id == other.id && direct.root == other.root)
        self.write(direct, "direct")
        self.write(
            try DirectConversation(of: ada, with: ada.publicKeys, at: device), "direct.notes")
        let code = VerificationCode(ada.id, bea.id)
        self.lines["verify.digits"] = Array(code.digits.utf8)
        self.lines["verify.words"] = Array(code.words.utf8)
    }

    private mutating func write(_ direct: DirectConversation, _ name: String) {
        self.lines["\(name).id"] = direct.id.hash.bytes
        self.lines["\(name).root"] = direct.root.bytes
        self.lines["\(name).keyID"] = direct.key?.id.bytes
    }

    private mutating func write(_ room: SecretRoom, _ name: String, _ invitation: String) {
        self.lines["\(name).id"] = room.id.hash.bytes
        self.lines["\(name).root"] = room.root.bytes
        self.lines["\(name).keyID"] =
            ConversationKey(root: room.root, suite: room.suite, of: room.id)?.id.bytes
        self.lines[invitation] = Array(RoomInvitation(room).line.utf8)
    }

    /// What ada knows.
    private static func backup(_ story: GoldenStory, _ room: SecretRoom) throws -> Backup {
        let (device, bea) = (PeerID(story.bea.publicKey), Self.bea.publicKeys)
        let circle = Realm(
            id: story.circle.realm, name: try #require(RealmName("circle")),
            secret: story.circle.bytes)
        var contacts = Contacts(profile: Profile(name: "Ada", status: "in the stoa"))
        contacts.standings = [device: .verified]
        contacts.peers = [
            KnownPeer(
                id: device, addresses: ["192.0.2.1:4100", "[2001:db8::1]:4100"],
                lastSeen: GoldenStory.milliseconds + 1, person: bea)
        ]
        contacts.records = [story.record("bea")]
        contacts.rooms = [story.agora, Room(story.agora.name, in: circle.id)]
        contacts.secretRooms = [room]
        contacts.partners = [Contacts.Partner(device: device, person: bea)]
        contacts.groups = [try #require(GoldenGroups(story).acts["create"])]
        contacts.picture = [0x89] + Array("PNG\r\n\u{1a}\nada".utf8)
        return Backup(
            person: Self.ada, time: GoldenStory.milliseconds, realms: [circle], contacts: contacts)
    }
}

extension GoldenTests {
    @Test("the backup of the file is opened by its phrase, and holds what was put into it")
    func backup() throws {
        let file = try #require(GoldenFile.lines["backup.file"])
        let opened = try SealedBackup.open(file, by: GoldenPrivate.made())
        #expect(opened.encoded == GoldenFile.lines["backup.content"])
    }

    @Test("the invitations of the file lead to their rooms")
    func invitations() throws {
        for (line, room) in [("room", "secret"), ("room.circle", "secret.circle")] {
            let bytes = try #require(GoldenFile.lines["invitation.\(line)"])
            let invited = try RoomInvitation(String(decoding: bytes, as: UTF8.self)).room
            #expect(invited.id.hash.bytes == GoldenFile.lines["\(room).id"])
            #expect(invited.root.bytes == GoldenFile.lines["\(room).root"])
        }
    }
}
