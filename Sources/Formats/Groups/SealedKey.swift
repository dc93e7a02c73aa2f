package import Crypto

/// A group's key on its way to a device that nobody is linked with who gives it: sealed to the device's E, and signed
/// by the giver's device.
///
///     e      = a fresh X25519 key                    said  = "stoa.sealedkey.v1" ‖ 00 ‖ group ‖ epoch id ‖ device ‖ giver
///     sealed = e 32 ‖ XChaCha20-Poly1305(K(X25519(e, E), "stoa sealed key", e ‖ E), zeros, key 32), bound to said
///
/// `Docs/Protocol/Groups.md` section 5.
package struct SealedKey: Hashable, Sendable {
    /// Which key.
    package let epoch: Bytes32
    /// Whom it is for.
    package let device: PeerID
    /// The device that gives it.
    package let giver: PeerID
    private let sealed: [UInt8]
    private let signature: Bytes64

    private static let context = Array("stoa.sealedkey.v1\0".utf8)
    private static let sealedBytes = 2 * Bytes32.byteCount + XChaCha20Poly1305.tagByteCount

    /// Seals a key to the address E of a device; nil for one of small order, which no certificate that holds has.
    ///
    /// `random` must not be predictable.
    package init?(
        _ key: EpochKey, of group: ConversationID, to device: PeerID, at address: Bytes32,
        by giver: Signer, using random: inout some RandomNumberGenerator
    ) {
        self.epoch = key.id
        self.device = device
        self.giver = PeerID(giver.publicKey)
        let said = Self.said(key.id, of: group, to: device, by: PeerID(giver.publicKey))
        let own = Self.fresh(using: &random)
        let ephemeral = own.publicKey
        guard let shared = try? own.agree(with: address) else { return nil }
        var sealed = ephemeral.bytes
        Self.key(shared, ephemeral, address).seal(
            key.key.bytes.span.bytes, associatedData: said.span.bytes, nonce: Self.nonce,
            appendingTo: &sealed)
        self.sealed = sealed
        self.signature = giver.sign(said + sealed)
    }

    /// Seals a key as servers between sites keep it: the same key for the same device by the same giver is the same bytes.
    ///
    /// The key for this one time follows from the key that is given: only who has that could make it.
    package init?(
        _ key: EpochKey, forSitesOf group: ConversationID, to device: PeerID,
        at address: Bytes32, by giver: Signer
    ) {
        let said = Self.said(key.id, of: group, to: device, by: PeerID(giver.publicKey))
        let hash = key.key.withBytes {
            BLAKE2b.hash256(said.span.bytes, key: $0, personal: .siteOnce)
        }
        var words = HashedWords(hash)
        self.init(key, of: group, to: device, at: address, by: giver, using: &words)
    }

    /// Whether the giver's device has signed it for this group.
    package func isValid(in group: ConversationID) -> Bool {
        Ed25519.verify(
            signature: self.signature, message: self.said(of: group) + self.sealed,
            publicKey: self.giver.key)
    }

    /// Opens it with the secret of E; nil where it is not for that device, or for another group.
    package func opened(in group: ConversationID, with address: AgreementKey) -> EpochKey? {
        guard let ephemeral = Bytes32(self.sealed[..<32]),
            let shared = try? address.agree(with: ephemeral)
        else { return nil }
        var opened: [UInt8] = []
        let said = self.said(of: group)
        do throws(CryptoError) {
            try Self.key(shared, ephemeral, address.publicKey).open(
                self.sealed.span.bytes.extracting(32..<self.sealed.count),
                associatedData: said.span.bytes, nonce: Self.nonce, appendingTo: &opened)
        } catch { return nil }
        return Bytes32(opened).map { EpochKey(id: self.epoch, key: $0) }
    }

    private func said(of group: ConversationID) -> [UInt8] {
        Self.said(self.epoch, of: group, to: self.device, by: self.giver)
    }

    private static func said(
        _ epoch: Bytes32, of group: ConversationID, to device: PeerID, by giver: PeerID
    ) -> [UInt8] {
        var writer = WireWriter(capacity: 152)
        writer.raw(Self.context)
        writer.raw(group.hash)
        writer.raw(epoch)
        writer.raw(device.key)
        writer.raw(giver.key)
        return writer.bytes
    }

    private static func key(
        _ shared: borrowing SecretKey, _ ephemeral: Bytes32, _ address: Bytes32
    ) -> SealingKey {
        let context = ephemeral.bytes + address.bytes
        return SealingKey(
            BLAKE2b.deriveKey(from: shared, context: context.span.bytes, personal: .sealedKey))
    }

    /// Each key seals once.
    private static var nonce: XChaCha20Poly1305.Nonce {
        let zeros = [UInt8](repeating: 0, count: XChaCha20Poly1305.Nonce.byteCount)
        guard let nonce = try? XChaCha20Poly1305.Nonce(zeros.span.bytes) else {
            preconditionFailure("a nonce has 24 bytes")
        }
        return nonce
    }

    private static func fresh(using random: inout some RandomNumberGenerator) -> AgreementKey {
        var writer = WireWriter(capacity: 32)
        for _ in 0..<4 { writer.u64(random.next()) }
        guard let secret = try? SecretKey(writer.bytes.span.bytes) else {
            preconditionFailure("four words have 32 bytes")
        }
        return AgreementKey(secret)
    }

    var encoded: [UInt8] {
        var writer = WireWriter(capacity: 256)
        self.write(to: &writer)
        return writer.bytes
    }

    func write(to writer: inout WireWriter) {
        writer.raw(self.epoch)
        writer.raw(self.device.key)
        writer.raw(self.giver.key)
        writer.raw(self.sealed)
        writer.raw(self.signature)
    }

    init(from reader: inout WireReader) throws(WireError) {
        self.epoch = try reader.bytes32("sealed epoch")
        self.device = PeerID(try reader.bytes32("sealed device"))
        self.giver = PeerID(try reader.bytes32("sealed giver"))
        self.sealed = try reader.raw("sealed key", count: Self.sealedBytes)
        self.signature = try reader.bytes64("sealed signature")
    }
}

/// The words of a hash, for one key.
private struct HashedWords: RandomNumberGenerator {
    private var words: [UInt64]

    init(_ hash: Bytes32) {
        self.words = stride(from: 0, to: Bytes32.byteCount, by: 8).map { start in
            hash.bytes[start..<start + 8].reduce(0) { $0 << 8 | UInt64($1) }
        }
    }

    mutating func next() -> UInt64 { self.words.removeFirst() }
}
