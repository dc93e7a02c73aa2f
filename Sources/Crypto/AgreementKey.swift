/// An X25519 key that copyable values can hold, as `Signer` is for signing keys.
///
/// It never changes, so sharing the reference is the same as copying the key.
package final class AgreementKey: Sendable {
    package let publicKey: Bytes32
    private let secret: SecretKey

    /// Takes over the secret.
    package init(_ secret: consuming SecretKey) {
        self.publicKey = X25519.publicKey(of: secret)
        self.secret = secret
    }

    /// The secret that this key and another's public one share.
    ///
    /// Throws `unusablePublicKey` for one of small order.
    package func agree(with publicKey: Bytes32) throws(CryptoError) -> SecretKey {
        try X25519.sharedSecret(self.secret, with: publicKey)
    }

    /// Lends the 32 bytes of the secret, for writing the key to its file.
    package func withSecret<R: ~Copyable, E: Error>(
        _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        try self.secret.withBytes(body)
    }
}
