internal import Crypto

/// What names and seals what servers between sites keep of a conversation: all who may read the conversation have it,
/// and nobody else.
///
/// `Docs/Protocol/Sites.md` section 2.
package struct SiteRoot: Hashable, Sendable {
    /// The length of each name, in bytes.
    private static let nameBytes = 16
    /// What sealing adds to an item, in bytes.
    package static let sealBytes =
        XChaCha20Poly1305.Nonce.byteCount + XChaCha20Poly1305.tagByteCount
    /// What every subject begins with.
    package static let prefix = "stoa"
    /// The same of parts of files, which have a stream of their own.
    package static let filesPrefix = "stoa-files"
    /// The same of what no stream stores.
    package static let signalsPrefix = "stoa-now"

    private let bytes: Bytes32
    /// Names the conversation on the servers, and tells nothing of it to those who do not have the root: 26 characters.
    package let tag: String

    /// That of a group under one of its keys.
    package init(_ key: EpochKey, of group: ConversationID) { self.init(key.key, group) }

    /// That of a conversation as all of a realm may read it; of what belongs to no conversation without one.
    package init(_ secret: RealmSecret, _ conversation: ConversationID? = nil) {
        let context = secret.realm.hash.bytes + (conversation?.hash.bytes ?? [])
        self.init(key: secret.bytes, context)
    }

    /// That of a person's inbox in a realm.
    init(_ secret: RealmSecret, inboxOf person: PersonID) {
        let context = secret.realm.hash.bytes + person.hash.bytes
        self.init(key: secret.bytes, context, .siteInbox)
    }

    /// That of a conversation whose members hold a root of their own.
    private init(_ root: Bytes32, _ conversation: ConversationID) {
        self.init(key: root, conversation.hash.bytes)
    }

    /// That of a conversation, by a secret of the realm to which it belongs; nil for groups: each of
    /// their keys gives one.
    package init?(_ kind: ConversationKind, by secret: RealmSecret) {
        switch kind {
        case .room(let room): self.init(secret, room.conversation)
        case .secret(let room): self.init(room.root, room.id)
        case .direct(let direct): self.init(direct.root, direct.id)
        case .group: return nil
        }
    }

    private init(key: Bytes32, _ context: [UInt8], _ personal: BLAKE2b.Personal = .siteRoot) {
        let bytes = key.withBytes {
            BLAKE2b.hash256(context.span.bytes, key: $0, personal: personal)
        }
        self.bytes = bytes
        self.tag = Self.name(of: [], by: bytes, .siteTag)
    }

    /// The subject of an item: one for each, so that what is published again replaces what is kept.
    package func subject(of name: SiteItem.Name) -> String {
        let prefix =
            switch name {
            case .part: Self.filesPrefix
            case .signal: Self.signalsPrefix
            default: Self.prefix
            }
        return "\(prefix).\(self.tag).\(Self.name(of: name.encoded, by: self.bytes, .siteItem))"
    }

    private static func name(
        of content: [UInt8], by key: Bytes32, _ personal: BLAKE2b.Personal
    ) -> String {
        let hash = key.withBytes {
            BLAKE2b.hash256(content.span.bytes, key: $0, personal: personal)
        }
        return Base32.encode(Array(hash.bytes.prefix(Self.nameBytes)))
    }

    /// Seals an item for its subject; the same item gives the same bytes, so that two copies can be compared.
    package func seal(_ item: SiteItem) -> [UInt8] {
        let plain = item.encoded
        let subject = Array(self.subject(of: item.name).utf8)
        // The nonce follows from what is sealed: two items never have the same one.
        let hash = self.bytes.withBytes {
            BLAKE2b.hash256(plain.span.bytes, key: $0, personal: .siteNonce)
        }
        let start = Array(hash.bytes.prefix(XChaCha20Poly1305.Nonce.byteCount))
        guard let nonce = try? XChaCha20Poly1305.Nonce(start.span.bytes), let key = self.key else {
            preconditionFailure("a hash is long enough for a nonce and a key")
        }
        var sealed = start
        key.seal(
            plain.span.bytes, associatedData: subject.span.bytes, nonce: nonce, appendingTo: &sealed
        )
        return sealed
    }

    /// Opens what is kept under a subject; nil for what nobody with this root has sealed for it, or no item.
    package func open(_ sealed: [UInt8], subject: String) -> SiteItem? {
        let nonceBytes = XChaCha20Poly1305.Nonce.byteCount
        guard sealed.count > Self.sealBytes, let key = self.key else { return nil }
        var plain: [UInt8] = []
        do {
            let nonce = try XChaCha20Poly1305.Nonce(sealed.span.bytes.extracting(0..<nonceBytes))
            try key.open(
                sealed.span.bytes.extracting(nonceBytes..<sealed.count),
                associatedData: Array(subject.utf8).span.bytes, nonce: nonce, appendingTo: &plain)
            let item = try SiteItem(decoding: plain)
            return self.subject(of: item.name) == subject ? item : nil
        } catch {
            return nil
        }
    }

    /// A key for one letter, which follows from what is in it: nobody can guess that, so nobody else can make it.
    func once(_ inner: [UInt8]) -> AgreementKey? {
        let derived = self.bytes.withBytes {
            BLAKE2b.hash256(inner.span.bytes, key: $0, personal: .siteOnce)
        }
        return derived.withBytes { bytes in
            guard let secret = try? SecretKey(bytes) else { return nil }
            return AgreementKey(secret)
        }
    }

    private var key: SealingKey? {
        let derived = self.bytes.withBytes {
            BLAKE2b.hash256([UInt8]().span.bytes, key: $0, personal: .siteSeal)
        }
        return derived.withBytes { key in
            guard let secret = try? SecretKey(key) else { return nil }
            return SealingKey(secret)
        }
    }
}

extension SiteRoot: CustomStringConvertible {
    /// The tag; the root itself is never shown.
    package var description: String { "root of \(self.tag)" }
}
