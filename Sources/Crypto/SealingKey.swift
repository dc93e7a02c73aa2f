/// An XChaCha20-Poly1305 key that copyable values can hold, as `Signer` is for signing keys.
///
/// The key never changes, so sharing the reference is the same as copying it.
package final class SealingKey: Sendable {
    let key: SecretKey

    /// Takes over the key.
    package init(_ key: consuming SecretKey) {
        self.key = key
    }

    /// Appends the ciphertext and tag of `plaintext` to `output`; XChaCha20-Poly1305.
    package func seal(
        _ plaintext: RawSpan, associatedData: RawSpan, nonce: XChaCha20Poly1305.Nonce,
        appendingTo output: inout [UInt8]
    ) {
        XChaCha20Poly1305.seal(
            plaintext, associatedData: associatedData, nonce: nonce, key: self.key,
            appendingTo: &output)
    }

    /// Verifies `ciphertext` and appends the plaintext to `output`; XChaCha20-Poly1305.
    ///
    /// Throws `messageTooShort` or `decryptFailed`; then nothing was appended.
    package func open(
        _ ciphertext: RawSpan, associatedData: RawSpan, nonce: XChaCha20Poly1305.Nonce,
        appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        try XChaCha20Poly1305.open(
            ciphertext, associatedData: associatedData, nonce: nonce, key: self.key,
            appendingTo: &output)
    }
}
