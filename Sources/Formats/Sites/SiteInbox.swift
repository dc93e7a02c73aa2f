internal import Crypto

/// Where members of a realm leave letters for one person: what is for them and they cannot look for, since they do not
/// know of it.
///
/// `Docs/Protocol/Sites.md` section 10.
package struct SiteInbox: Sendable {
    /// Names and seals the inbox for all of the realm, who see of it what the server sees.
    package let root: SiteRoot
    private let address: Bytes32

    package init(_ secret: RealmSecret, of person: PublicPerson) {
        self.root = SiteRoot(secret, inboxOf: person.id)
        self.address = person.address
    }

    /// What brings an item to the person whose inbox it is, and to nobody else: the same item gives the same letter.
    ///
    /// Nil for an X of small order, which no certificate that holds has.
    ///
    /// - Parameters:
    ///   - item: no letter.
    ///   - certificate: that of the sender's device.
    package func letter(_ item: SiteItem, from certificate: Certificate) -> SiteItem? {
        let inner = certificate.encoded + item.encoded
        guard let ephemeral = self.root.once(inner),
            let shared = try? ephemeral.agree(with: self.address)
        else { return nil }
        let id = SiteLetter.id(of: item)
        var sealed: [UInt8] = []
        SiteLetter.key(shared, ephemeral.publicKey, self.address).seal(
            inner.span.bytes, associatedData: id.bytes.span.bytes, nonce: SiteLetter.nonce,
            appendingTo: &sealed)
        return .letter(SiteLetter(id: id, ephemeral: ephemeral.publicKey, sealed: sealed))
    }
}

/// An item with the certificate of whoever brings it, sealed to one person's X.
///
///     id     = H("stoa site letter", name of the item)
///     sealed = XChaCha20-Poly1305(K(X25519(e, X), "stoa site letter", e ‖ X), zeros, certificate ‖ item), bound to id
package struct SiteLetter: Hashable, Sendable {
    /// Names the letter; it follows from the item, which nobody else knows.
    let id: Bytes32
    fileprivate let ephemeral: Bytes32
    fileprivate let sealed: [UInt8]

    fileprivate init(id: Bytes32, ephemeral: Bytes32, sealed: [UInt8]) {
        (self.id, self.ephemeral, self.sealed) = (id, ephemeral, sealed)
    }

    init(decoding bytes: [UInt8]) throws(WireError) {
        var reader = WireReader(bytes)
        self.id = try reader.bytes32("letter id")
        self.ephemeral = try reader.bytes32("letter key")
        self.sealed = try reader.raw("letter", count: reader.remaining)
    }

    var encoded: [UInt8] { self.id.bytes + self.ephemeral.bytes + self.sealed }

    /// Opens it; nil where it is for somebody else, or is no letter.
    ///
    /// Neither certificate nor item is checked. Takes about 50 µs.
    package func open(with own: PersonKeys) -> (certificate: Certificate, item: SiteItem)? {
        guard let shared = try? own.agree(with: self.ephemeral) else { return nil }
        var inner: [UInt8] = []
        do {
            try Self.key(shared, self.ephemeral, own.publicKeys.address).open(
                self.sealed.span.bytes, associatedData: self.id.bytes.span.bytes,
                nonce: Self.nonce, appendingTo: &inner)
            var reader = WireReader(inner)
            let certificate = try Certificate(from: &reader)
            let item = try SiteItem(
                decoding: try reader.raw("item of a letter", count: reader.remaining))
            // A letter in a letter says nothing.
            if case .letter = item { return nil }
            return Self.id(of: item) == self.id ? (certificate, item) : nil
        } catch {
            return nil
        }
    }

    fileprivate static func id(of item: SiteItem) -> Bytes32 {
        BLAKE2b.hash256(item.name.encoded, personal: .siteLetter)
    }

    fileprivate static func key(
        _ shared: consuming SecretKey, _ ephemeral: Bytes32, _ address: Bytes32
    ) -> SealingKey {
        let context = ephemeral.bytes + address.bytes
        return SealingKey(
            BLAKE2b.deriveKey(from: shared, context: context.span.bytes, personal: .siteLetter))
    }

    /// Each letter has a key of its own.
    fileprivate static var nonce: XChaCha20Poly1305.Nonce {
        let zeros = [UInt8](repeating: 0, count: XChaCha20Poly1305.Nonce.byteCount)
        guard let nonce = try? XChaCha20Poly1305.Nonce(zeros.span.bytes) else {
            preconditionFailure("a nonce has 24 bytes")
        }
        return nonce
    }
}
