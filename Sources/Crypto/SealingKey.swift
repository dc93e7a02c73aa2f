internal import Synchronization

/// An XChaCha20-Poly1305 key that copyable values can hold, as `Signer` is for signing keys.
///
/// The key never changes, so sharing the reference is the same as copying it.
package final class SealingKey: @unchecked Sendable {  // `subkey` is whoever's has set the flag
    let key: SecretKey
    private var subkey = XChaCha20Poly1305.Subkey()
    private let isLent = Atomic(false)

    /// Takes over the key.
    package init(_ key: consuming SecretKey) {
        self.key = key
    }

    /// Appends the ciphertext and tag of `plaintext` to `output`; XChaCha20-Poly1305.
    package func seal(
        _ plaintext: RawSpan, associatedData: RawSpan, nonce: XChaCha20Poly1305.Nonce,
        appendingTo output: inout [UInt8]
    ) {
        self.withSubkey { subkey in
            XChaCha20Poly1305.seal(
                plaintext, associatedData: associatedData, nonce: nonce, key: self.key, &subkey,
                appendingTo: &output)
        }
    }

    /// Verifies `ciphertext` and appends the plaintext to `output`; XChaCha20-Poly1305.
    ///
    /// Throws `messageTooShort` or `decryptFailed`; then nothing was appended.
    package func open(
        _ ciphertext: RawSpan, associatedData: RawSpan, nonce: XChaCha20Poly1305.Nonce,
        appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        try self.withSubkey { (subkey) throws(CryptoError) in
            try XChaCha20Poly1305.open(
                ciphertext, associatedData: associatedData, nonce: nonce, key: self.key, &subkey,
                appendingTo: &output)
        }
    }

    /// Lends what was derived last; a thread that comes meanwhile has one of its own, for this message.
    private func withSubkey<E: Error>(
        _ body: (inout XChaCha20Poly1305.Subkey) throws(E) -> Void
    ) throws(E) {
        let taken = self.isLent.compareExchange(
            expected: false, desired: true, ordering: .acquiring)
        guard taken.exchanged else {
            var own = XChaCha20Poly1305.Subkey()
            return try body(&own)
        }
        defer { self.isLent.store(false, ordering: .releasing) }
        try body(&self.subkey)
    }
}
