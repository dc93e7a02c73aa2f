package import Crypto

/// What one's devices tell each other of.
///
/// `Docs/Protocol/Entries.md` section 13.
package enum OwnSet: UInt8, CaseIterable, Sendable {
    /// Whom the user knows.
    case contacts = 1
    /// With whom the user has compared codes.
    case verified = 2
    /// Of whom the user wants nothing.
    case blocked = 3
    /// Where the user is.
    case conversations = 4
    case muted = 5
    case archived = 6
    /// What the user says of themselves: one item.
    case profile = 7
    /// Which devices there are, and what the user calls them: each adds itself.
    case devices = 8
    /// The realms that the user is in and that no administrator has installed.
    case realms = 9
}

/// Something that may be in a set.
package struct OwnItem: Hashable, Comparable, Sendable {
    package let set: UInt8
    package let item: [UInt8]

    package init(_ entry: OwnEntry) { (self.set, self.item) = (entry.set, entry.item) }

    /// A device, by its key.
    package init(_ set: OwnSet, _ device: PeerID) {
        (self.set, self.item) = (set.rawValue, device.key.bytes)
    }

    /// A conversation, by its id.
    package init(_ set: OwnSet, _ conversation: ConversationID) {
        (self.set, self.item) = (set.rawValue, conversation.hash.bytes)
    }

    /// A realm, by its id.
    package init(_ realm: RealmID) {
        (self.set, self.item) = (OwnSet.realms.rawValue, realm.hash.bytes)
    }

    /// The own profile.
    package static let profile = OwnItem(OwnSet.profile.rawValue, [0])

    private init(_ set: UInt8, _ item: [UInt8]) { (self.set, self.item) = (set, item) }

    /// The device's key, or the id of the conversation or realm; nil for what is none of these.
    package var key: Bytes32? { Bytes32(self.item) }

    package static func < (left: OwnItem, right: OwnItem) -> Bool {
        left.set != right.set
            ? left.set < right.set : left.item.lexicographicallyPrecedes(right.item)
    }
}

/// What is told of somebody: the value of ``OwnSet/contacts`` and ``OwnSet/blocked``.
package struct OwnContact: Hashable, Sendable {
    /// Whose device it is; nil where that is not known.
    package var person: PublicPerson?
    /// What they call themselves, as they have signed it; nil where that is not known.
    package var profile: Record?

    package init(person: PublicPerson?, profile: Record?) {
        self.person = person
        self.profile = profile
    }

    package var encoded: [UInt8] {
        var writer = WireWriter()
        writer.sized(self.person?.encoded ?? [])
        writer.sized(self.profile?.encoded ?? [])
        return writer.bytes
    }

    /// Reads ``encoded``; what cannot be read is left out.
    package init(decoding bytes: [UInt8]) {
        var reader = WireReader(bytes)
        let keys = (try? reader.sized("contact keys", limit: 64)) ?? []
        self.person = PublicPerson(decoding: keys)
        let record = (try? reader.sized("contact profile", limit: Limits.recordBytes)) ?? []
        self.profile = try? Record(decoding: record)
    }
}

/// What is told of a conversation: the value of ``OwnSet/conversations``.
package enum OwnPlace: Hashable, Sendable {
    case room(Room)
    case secret(SecretRoom)
    /// With the person whose device it is.
    case direct(PeerID, PublicPerson)
    /// By what founded it.
    indirect case group(Act)

    private enum Form: UInt8 {
        case room = 0
        case direct = 1
        case secret = 2
        case group = 4
    }

    package var encoded: [UInt8] {
        var writer = WireWriter()
        switch self {
        case .room(let room):
            writer.byte(Form.room.rawValue)
            writer.raw(room.realm.hash)
            writer.text(room.name.text)
        case .direct(let device, let person):
            writer.byte(Form.direct.rawValue)
            writer.raw(device.key)
            writer.raw(person.encoded)
        case .secret(let room):
            writer.byte(Form.secret.rawValue)
            writer.text(RoomInvitation(room).line)
        case .group(let founding):
            writer.byte(Form.group.rawValue)
            writer.sized(founding.encoded)
        }
        return writer.bytes
    }

    /// Reads ``encoded``; nil where it is none.
    package init?(decoding bytes: [UInt8]) {
        var reader = WireReader(bytes)
        guard let place = try? Self(from: &reader), reader.remaining == 0 else { return nil }
        self = place
    }

    private init(from reader: inout WireReader) throws(WireError) {
        switch Form(rawValue: try reader.byte("place kind")) {
        case .room:
            let realm = RealmID(try reader.bytes32("place realm"))
            guard let name = RoomName(try reader.text("place name", limit: Limits.nameBytes))
            else { throw .value(field: "place name") }
            self = .room(Room(name, in: realm))
        case .direct:
            let device = PeerID(try reader.bytes32("place device"))
            guard let person = PublicPerson(decoding: try reader.raw("place keys", count: 64))
            else { throw .value(field: "place keys") }
            self = .direct(device, person)
        case .secret:
            let line = try reader.text("place line", limit: RoomInvitation.limitBytes)
            guard let room = try? RoomInvitation(line).room else {
                throw .value(field: "place line")
            }
            self = .secret(room)
        case .group:
            let act = try Act(decoding: try reader.sized("place act", limit: Limits.actBytes))
            guard act.statement.kind.founded?.id == act.group, act.isValid() else {
                throw .value(field: "place act")
            }
            self = .group(act)
        case nil: throw .value(field: "place kind")
        }
    }
}
