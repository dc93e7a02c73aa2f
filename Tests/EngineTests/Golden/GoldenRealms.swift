import Crypto

@testable import Engine
@testable import Formats

/// The lines of `realms-2.txt`, made by this implementation.
struct GoldenRealms {
    private(set) var lines: [String: [UInt8]] = [:]

    init(_ story: GoldenStory, _ tags: LinkTags) {
        let conversation = story.agora.conversation
        for (side, role) in [("initiator", LinkRole.initiator), ("responder", .responder)] {
            for (name, secret) in [("open", RealmSecret.open), ("circle", story.circle)] {
                self.lines["tag.realm.\(name).\(side)"] = tags.realm(secret, by: role).bytes
            }
            var writer = WireWriter()
            writer.u64(tags.share(conversation, by: role))
            self.lines["tag.share.\(side)"] = writer.bytes
        }
        self.invite(story.circle)
        let open = tags.realm(.open, by: .initiator)
        let circle = tags.realm(story.circle, by: .initiator)
        let names = story.rooms.values.map(\.name).sorted()
        let frames: [String: Frame] = [
            "realms": .realms((Self.tags(6) + [open, circle]).sorted()),
            "realms.16": .realms(Self.tags(16)), "realms.32": .realms(Self.tags(32)),
            "rooms": .rooms(open, names), "rooms.circle": .rooms(circle, [story.agora.name]),
            "addresses": .addresses(
                AddressNews(circle, held: Self.shares(3), records: [story.record("ada")])),
            "addresses.none": .addresses(AddressNews(circle)),
            "roomsLeft": .roomsLeft(story.rooms.values.map(\.conversation).sorted()),
            "shares": .shares(
                (Self.shares(15) + [tags.share(conversation, by: .initiator)]).sorted()),
            "shares.64": .shares(Self.shares(64)), "shares.256": .shares(Self.shares(256)),
        ]
        for (name, frame) in frames { self.lines["frame.\(name)"] = frame.encoded.bytes }
        // No node makes a frame with what is no name.
        var body = WireWriter()
        body.raw(open.bytes)
        body.varint(5)
        for text in ["", "-a", "A", "a b", "\u{c4}"] { body.text(text) }
        var whole = WireWriter()
        whole.varint(Frame.Kind.rooms.rawValue)
        whole.sized(body.bytes)
        self.lines["frame.rooms.noNames"] = whole.bytes
    }

    private mutating func invite(_ circle: RealmSecret) {
        guard let name = RealmName("circle") else { preconditionFailure("this is a name") }
        var realm = Realm(id: circle.realm, name: name, secret: circle.bytes)
        self.lines["invitation.circle"] = Array(RealmInvitation(realm).line.utf8)
        realm.previous = Realm.Previous(
            secret: fixed32(0xc3), until: GoldenStory.milliseconds)
        self.lines["invitation.circle.renewed"] = Array(RealmInvitation(realm).line.utf8)
    }

    private static func tags(_ count: Int) -> [Bytes16] {
        (0..<count).map { Bytes16([UInt8](repeating: UInt8($0), count: 16)) ?? .zero }
    }

    private static func shares(_ count: Int) -> [UInt64] {
        (0..<count).map { UInt64($0) * 0x0101_0101_0101_0101 }
    }
}
