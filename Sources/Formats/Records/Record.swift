package import Crypto

/// Whose record, of what conversation or none, and of what kind: of several the latest stands.
///
/// Of a revocation also by whom: a device may have been of several people, and none of them speaks for another.
package struct RecordKey: Hashable, Comparable, Sendable {
    package let author: PeerID
    /// The conversation it belongs to; nil for one that belongs to none.
    package let conversation: ConversationID?
    /// What kind of value.
    package let kind: UInt8
    /// Whose word a revocation is; nil for other kinds.
    package let person: PersonID?

    /// Names a record.
    package init(
        author: PeerID, conversation: ConversationID?, kind: UInt8, person: PersonID? = nil
    ) {
        self.author = author
        self.conversation = conversation
        self.kind = kind
        self.person = person
    }

    /// Names a person's word about a device.
    package init(revoking device: PeerID, by person: PersonID) {
        self.init(
            author: device, conversation: nil, kind: Record.Kind.revocation, person: person)
    }

    /// Whether it belongs to a conversation (1) or to none (0).
    package var scope: UInt8 { self.conversation == nil ? 0 : 1 }

    /// Orders by author, scope, conversation, kind and person.
    package static func < (left: RecordKey, right: RecordKey) -> Bool {
        let (none, nobody) = (ConversationID(.zero), PersonID(.zero))
        let one = (left.author, left.scope, left.conversation ?? none, left.kind)
        let other = (right.author, right.scope, right.conversation ?? none, right.kind)
        return one == other
            ? (left.person ?? nobody) < (right.person ?? nobody) : one < other
    }
}

/// A small signed latest-wins value of an author.
///
/// `Docs/Protocol/Entries.md` section 10.
package struct Record: Hashable, Sendable {
    /// Whose it is, and of what kind; see ``Kind``.
    package let key: RecordKey
    /// When the author set it.
    package let time: HybridTime
    /// The value, at most ``Limits/recordValueBytes``.
    package let value: [UInt8]
    /// The author's signature over all of the above.
    package let signature: Bytes64
    /// What a profile says, read once; nil for other kinds and where it cannot be read.
    package let profile: Profile?
    /// The hash that digests and tie-breaks use, made once: a digest takes those of all members.
    package let hash: Bytes32

    /// What kind of value.
    package var kind: UInt8 { self.key.kind }
    package var author: PeerID { self.key.author }
    /// The conversation it belongs to; nil for one that belongs to none.
    package var conversation: ConversationID? { self.key.conversation }
    /// Whether it belongs to a conversation (1) or to none (0).
    package var scope: UInt8 { self.key.scope }

    /// The kinds that this version writes and reads; others are kept and sent on.
    package enum Kind {
        /// Name, status and picture of a person.
        package static let profile: UInt8 = 1
        /// A person's word about one of their devices, which is its author: a ``Revocation``.
        package static let revocation: UInt8 = 2
        /// How far its author has received and read a conversation: a ``Mark``.
        package static let mark: UInt8 = 3
        /// Where its author can be dialled: a ``Reach``.
        package static let address: UInt8 = 4
    }

    private static let context = Array("stoa.record.v2\0".utf8)
    private static let format: UInt8 = 2

    /// Signs a value.
    package init(
        kind: UInt8, author: PeerID, conversation: ConversationID?, time: HybridTime,
        value: [UInt8], signer: Signer
    ) {
        let key = RecordKey(
            author: author, conversation: conversation, kind: kind,
            person: Self.person(kind, value))
        self.init(key, at: time, value: value) { signer.sign($0) }
    }

    /// Revokes a device of a person, or takes that back; of two, the greater time counts.
    package init(
        revoking device: PeerID, _ revocation: Revocation, at time: HybridTime,
        by person: PersonKeys
    ) {
        let key = RecordKey(revoking: device, by: revocation.certificate.personID)
        self.init(key, at: time, value: revocation.encoded) { person.sign($0) }
    }

    private init(
        _ key: RecordKey, at time: HybridTime, value: [UInt8], sign: ([UInt8]) -> Bytes64
    ) {
        precondition(value.count <= Limits.recordValueBytes, "the caller bounds a record's value")
        self.key = key
        self.time = time
        self.value = value
        self.profile = Self.profile(key.kind, value)
        let body = Self.body(key: key, time: time, value: value)
        self.signature = sign(Self.context + body)
        self.hash = Self.hash(of: body + self.signature.bytes)
    }

    private static func hash(of encoded: [UInt8]) -> Bytes32 {
        BLAKE2b.hash256(encoded, personal: .record)
    }

    private static func body(key: RecordKey, time: HybridTime, value: [UInt8]) -> [UInt8] {
        var writer = WireWriter(capacity: 80 + value.count)
        writer.byte(Self.format)
        writer.byte(key.kind)
        writer.raw(key.author.key)
        writer.byte(key.scope)
        if let conversation = key.conversation { writer.raw(conversation.hash) }
        writer.u64(time.rawValue)
        writer.raw(value)
        return writer.bytes
    }

    /// All but the value and the signature: what a sealed value is bound to.
    static func header(_ key: RecordKey, at time: HybridTime) -> [UInt8] {
        Self.body(key: key, time: time, value: [])
    }

    private var body: [UInt8] {
        Self.body(key: self.key, time: self.time, value: self.value)
    }

    /// Whether it is what a record of its kind must be; of kinds that are not known here, any is.
    package var isUsable: Bool {
        switch self.kind {
        case Kind.profile: self.conversation == nil && self.profile != nil
        case Kind.revocation: self.conversation == nil && self.revocation != nil
        case Kind.mark: self.conversation != nil
        case Kind.address: self.conversation == nil && Reach(decoding: self.value) != nil
        default: true
        }
    }

    /// Whether its author signed it, or for a revocation the person of the certificate in it.
    ///
    /// Whether that is the person whose device the author is depends on what the device itself has shown.
    package var isValid: Bool {
        guard let signer = self.signer else { return false }
        return Ed25519.verify(
            signature: self.signature, message: Self.context + self.body, publicKey: signer)
    }

    /// The key that signs it; nil for a revocation without a certificate of its author.
    private var signer: Bytes32? {
        guard self.kind == Kind.revocation else { return self.author.key }
        guard let certificate = self.revocation?.certificate,
            certificate.isValid(for: self.author)
        else { return nil }
        return certificate.person
    }

    /// The record as it is sent and stored.
    package var encoded: [UInt8] { self.body + self.signature.bytes }

    /// What it takes to keep it.
    package var keptBytes: Int { self.value.count + Limits.recordOverheadBytes }

    /// Whether this record takes the place of another of the same key.
    package func supersedes(_ other: Record) -> Bool {
        (self.time, self.hash) > (other.time, other.hash)
    }

    /// Reads a record; its signature is not checked here.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        guard try reader.byte("record format") == Self.format else {
            throw .value(field: "record format")
        }
        let kind = try reader.byte("record kind")
        let author = PeerID(try reader.bytes32("record author"))
        let conversation: ConversationID?
        switch try reader.byte("record scope") {
        case 0: conversation = nil
        case 1: conversation = ConversationID(try reader.bytes32("record conversation"))
        default: throw .value(field: "record scope")
        }
        self.time = HybridTime(try reader.u64("record hlc"))
        let length = reader.remaining - 64
        guard length >= 0 else { throw .truncated(field: "record") }
        guard length <= Limits.recordValueBytes else {
            throw .limit(
                field: "record value", limit: Limits.recordValueBytes, got: UInt64(length))
        }
        self.value = try reader.raw("record value", count: length)
        self.key = RecordKey(
            author: author, conversation: conversation, kind: kind,
            person: Self.person(kind, self.value))
        self.profile = Self.profile(kind, self.value)
        self.signature = try reader.bytes64("record signature")
        self.hash = Self.hash(of: bytes)
    }

    private static func person(_ kind: UInt8, _ value: [UInt8]) -> PersonID? {
        kind == Kind.revocation ? Revocation(decoding: value)?.certificate.personID : nil
    }

    private static func profile(_ kind: UInt8, _ value: [UInt8]) -> Profile? {
        kind == Self.Kind.profile ? try? Profile(decoding: value) : nil
    }
}

/// What a person says of themselves: the value of a profile record.
package struct Profile: Hashable, Sendable {
    /// The name shown beside messages: a label, not an identity.
    package var name: String
    /// A sentence about what the person is doing; may be empty.
    package var status: String
    /// How the person looks, or wants to; nil for no picture.
    package var picture: ProfilePicture?

    /// Creates a profile; bounds are checked by ``isWithinLimits``.
    package init(name: String, status: String, picture: ProfilePicture? = nil) {
        self.name = name
        self.status = status
        self.picture = picture
    }

    /// Whether both texts fit their limits (``Limits/nameCharacters``, ``Limits/statusBytes``).
    package var isWithinLimits: Bool {
        Self.isShort(self.name) && self.status.utf8.count <= Limits.statusBytes
    }

    /// Whether a name is short enough for a person's.
    package static func isShort(_ name: String) -> Bool {
        name.utf8.count <= Limits.nameBytes && name.unicodeScalars.count <= Limits.nameCharacters
    }

    private static let nameType: UInt64 = 1
    private static let statusType: UInt64 = 4
    private static let pictureType: UInt64 = 6

    /// The value of a record: fields, of which empty ones are left out.
    package var encoded: [UInt8] {
        var writer = WireWriter()
        if !self.name.isEmpty { writer.field(Self.nameType, text: self.name) }
        if !self.status.isEmpty { writer.field(Self.statusType, text: self.status) }
        if let picture = self.picture { writer.field(Self.pictureType, picture.encoded) }
        return writer.bytes
    }

    /// Reads the value of a record.
    package init(decoding bytes: [UInt8]) throws(WireError) {
        let fields = try FieldList(decoding: bytes)
        guard fields.isUnderstood(by: [Self.nameType]) else {
            throw .value(field: "profile field")
        }
        self.name = try Self.text(
            fields, Self.nameType, "profile name", limit: Limits.nameBytes)
        guard Self.isShort(self.name) else {
            throw .limit(
                field: "profile name", limit: Limits.nameCharacters,
                got: UInt64(self.name.unicodeScalars.count))
        }
        self.status = try Self.text(
            fields, Self.statusType, "profile status", limit: Limits.statusBytes)
        if let picture = fields.value(of: Self.pictureType) {
            self.picture = try ProfilePicture(decoding: Array(picture))
        }
    }

    private static func text(
        _ fields: FieldList, _ type: UInt64, _ field: StaticName, limit: Int
    ) throws(WireError) -> String {
        guard let value = fields.value(of: type) else { return "" }
        guard value.count <= limit else {
            throw .limit(field: field, limit: limit, got: UInt64(value.count))
        }
        guard let text = String(utf8: value.span) else { throw .text(field: field) }
        return text
    }
}
