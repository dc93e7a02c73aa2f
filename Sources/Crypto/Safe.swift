/// The safe key of a node, which seals on its own disk what opens something else.
///
///     nonce 24 ‖ XChaCha20-Poly1305(value), with kind ‖ 00 ‖ place as associated data
///
/// So a value opens only where it was put. The key never changes, so sharing the reference is the same
/// as copying it. `Docs/Decisions/0054-one-key-opens-the-rest.md`.
package final class Safe: Sendable {
    /// What sort of value is sealed: two sorts never open as each other.
    package struct Kind: Hashable, Sendable {
        fileprivate let name: [UInt8]

        /// Names a sort; the name has no zero byte, which ends it.
        package init(_ name: String) {
            self.name = Array(name.utf8)
            precondition(!self.name.contains(0), "a kind's name has no zero byte")
        }
    }

    /// How much longer a value is once it is sealed, in bytes.
    package static let addedByteCount =
        XChaCha20Poly1305.Nonce.byteCount + XChaCha20Poly1305.tagByteCount

    private let key: SecretKey

    /// Takes over the key.
    package init(_ key: consuming SecretKey) {
        self.key = key
    }

    /// Makes a safe with a new random key.
    package static func generate() -> Safe { Safe(.generate()) }

    /// Seals a value for one place, each time to other bytes.
    package func seal(_ value: RawSpan, as kind: Kind, at place: RawSpan) -> [UInt8] {
        var random = SodiumRandom()
        return self.seal(
            value, as: kind, at: place, nonce: XChaCha20Poly1305.Nonce(using: &random))
    }

    /// Seals with a nonce that must never come twice.
    func seal(
        _ value: RawSpan, as kind: Kind, at place: RawSpan, nonce: XChaCha20Poly1305.Nonce
    ) -> [UInt8] {
        let associated = Self.associated(kind, place)
        var sealed: [UInt8] = []
        sealed.reserveCapacity(value.byteCount + Self.addedByteCount)
        nonce.append(to: &sealed)
        XChaCha20Poly1305.seal(
            value, associatedData: associated.span.bytes, nonce: nonce, key: self.key,
            appendingTo: &sealed)
        return sealed
    }

    /// Opens what was sealed as this kind for this place; the caller wipes it where it is secret.
    ///
    /// Throws `messageTooShort` or `decryptFailed`.
    package func open(
        _ sealed: RawSpan, as kind: Kind, at place: RawSpan
    ) throws(CryptoError) -> [UInt8] {
        guard sealed.byteCount >= Self.addedByteCount else {
            throw .messageTooShort(expected: Self.addedByteCount, got: sealed.byteCount)
        }
        let start = XChaCha20Poly1305.Nonce.byteCount
        let nonce = try XChaCha20Poly1305.Nonce(sealed.extracting(0..<start))
        let associated = Self.associated(kind, place)
        var value: [UInt8] = []
        // So that no copy is left behind where the array has grown.
        value.reserveCapacity(sealed.byteCount)
        try XChaCha20Poly1305.open(
            sealed.extracting(start..<sealed.byteCount), associatedData: associated.span.bytes,
            nonce: nonce, key: self.key, appendingTo: &value)
        return value
    }

    private static func associated(_ kind: Kind, _ place: RawSpan) -> [UInt8] {
        var associated = kind.name
        associated.append(0)
        associated.append(place)
        return associated
    }

    /// Lends the key, for the file that keeps it.
    package func withKey<R: ~Copyable, E: Error>(
        _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        try self.key.withBytes(body)
    }
}
