public import Crypto

/// A small signed latest-wins value of an author.
///
/// `Docs/Protocol/Entries.md` section 7.
public struct Record: Hashable, Sendable {
    /// What kind of value; see ``Kind``.
    public let kind: UInt8
    /// Whose it is.
    public let author: PeerID
    /// The conversation it belongs to, or none.
    public let conversation: ConversationID?
    /// When the author set it.
    public let time: HybridTime
    /// The value, at most ``Limits/recordValueBytes``.
    public let value: [UInt8]
    /// The author's signature over all of the above.
    public let signature: Bytes64
    /// What a profile says, read once; nil for other kinds and where it cannot be read.
    public let profile: Profile?

    /// The kinds that this version writes and reads.
    public enum Kind {
        /// Name and status of a person.
        public static let profile: UInt8 = 1
    }

    private static let context = Array("stoa.record.v1\0".utf8)

    /// Signs a value.
    public init(
        kind: UInt8, author: PeerID, conversation: ConversationID?, time: HybridTime,
        value: [UInt8], signer: Signer
    ) {
        precondition(value.count <= Limits.recordValueBytes, "the caller bounds a record's value")
        self.kind = kind
        self.author = author
        self.conversation = conversation
        self.time = time
        self.value = value
        self.profile = Self.profile(kind, value)
        self.signature = signer.sign(
            Self.context
                + Self.body(
                    kind: kind, author: author, conversation: conversation, time: time, value: value
                ))
    }

    private static func body(
        kind: UInt8, author: PeerID, conversation: ConversationID?, time: HybridTime,
        value: [UInt8]
    ) -> [UInt8] {
        var writer = WireWriter(capacity: 80 + value.count)
        writer.byte(1)
        writer.byte(kind)
        writer.raw(author.key)
        writer.byte(conversation == nil ? 0 : 1)
        if let conversation { writer.raw(conversation.hash) }
        writer.u64(time.rawValue)
        writer.raw(value)
        return writer.bytes
    }

    private var body: [UInt8] {
        Self.body(
            kind: self.kind, author: self.author, conversation: self.conversation, time: self.time,
            value: self.value)
    }

    /// Whether the author signed it.
    public var isValid: Bool {
        Ed25519.verify(
            signature: self.signature, message: Self.context + self.body,
            publicKey: self.author.key)
    }

    /// The record as it is sent and stored.
    public var encoded: [UInt8] { self.body + self.signature.bytes }

    /// The hash that digests and tie-breaks use.
    public var hash: Bytes32 { BLAKE2b.hash256(self.encoded, personal: .record) }

    /// Whether this record takes the place of another of the same author, scope and kind.
    public func supersedes(_ other: Record) -> Bool {
        (self.time, self.hash) > (other.time, other.hash)
    }

    /// Reads a record; its signature is not checked here.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        guard try reader.byte("record format") == 1 else { throw .value(field: "record format") }
        self.kind = try reader.byte("record kind")
        self.author = PeerID(try reader.bytes32("record author"))
        switch try reader.byte("record scope") {
        case 0: self.conversation = nil
        case 1: self.conversation = ConversationID(try reader.bytes32("record conversation"))
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
        self.profile = Self.profile(self.kind, self.value)
        self.signature = try reader.bytes64("record signature")
    }

    private static func profile(_ kind: UInt8, _ value: [UInt8]) -> Profile? {
        kind == Self.Kind.profile ? try? Profile(decoding: value) : nil
    }
}

/// What a person says of themselves: the value of a profile record.
public struct Profile: Hashable, Sendable {
    /// The name shown beside messages: a label, not an identity.
    public var name: String
    /// A sentence about what the person is doing; may be empty.
    public var status: String

    /// Creates a profile; bounds are checked by ``isWithinLimits``.
    public init(name: String, status: String) {
        self.name = name
        self.status = status
    }

    /// Whether both texts fit their limits (``Limits/nameBytes``, ``Limits/statusBytes``).
    public var isWithinLimits: Bool {
        self.name.utf8.count <= Limits.nameBytes && self.status.utf8.count <= Limits.statusBytes
    }

    /// The value of a record.
    public var encoded: [UInt8] {
        var writer = WireWriter()
        writer.text(self.name)
        writer.text(self.status)
        return writer.bytes
    }

    /// Reads the value of a record.
    public init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        self.name = try reader.text("profile name", limit: Limits.nameBytes)
        self.status = try reader.text("profile status", limit: Limits.statusBytes)
        try reader.finish("profile")
    }
}
