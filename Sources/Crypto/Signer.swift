/// A signing key that copyable values can hold.
///
/// A node is a value that is copied, compared and replayed, while a `SigningKey` has one owner
/// because its memory is freed once. This box is the bridge: it never changes, so sharing the
/// reference between copies and threads is the same as copying the key, without more copies of
/// the secret.
package final class Signer: Sendable {
    private let key: SigningKey

    /// Takes over the key.
    package init(_ key: consuming SigningKey) {
        self.key = key
    }

    /// The public key, which names its owner.
    package var publicKey: Bytes32 {
        self.key.publicKey
    }

    /// Signs `message`; the same message always gives the same signature.
    ///
    /// C function `crypto_sign_detached`.
    package func sign(_ message: RawSpan) -> Bytes64 {
        self.key.sign(message)
    }

    /// Signs `message`, as the other form does.
    package func sign(_ message: [UInt8]) -> Bytes64 {
        self.key.sign(message.span.bytes)
    }

    /// The secret shared with the owner of an Ed25519 public key; see
    /// `SigningKey.x25519SharedSecret(with:)`.
    ///
    /// Throws `unusablePublicKey` when the key is not acceptable or the result is zero.
    package func x25519SharedSecret(with peer: Bytes32) throws(CryptoError) -> SecretKey {
        try self.key.x25519SharedSecret(with: peer)
    }

    /// Lends the 32-byte seed, for writing the key to its file.
    package func withSeed<R: ~Copyable, E: Error>(
        _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        try self.key.withSeed(body)
    }
}
