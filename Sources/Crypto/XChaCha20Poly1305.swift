import CSodium

/// Authenticated encryption with a nonce long enough to be drawn at random.
///
/// draft-irtf-cfrg-xchacha; C functions `crypto_aead_xchacha20poly1305_ietf_*`.
package enum XChaCha20Poly1305 {
    /// The length of the tag that sealing adds, in bytes.
    package static let tagByteCount = 16

    /// Twenty-four bytes that must not repeat under one key.
    package struct Nonce: Equatable, Sendable {
        /// The number of bytes.
        package static let byteCount = 24

        private let words: InlineArray<3, UInt64>

        /// Copies exactly 24 bytes; throws `wrongLength` for any other length.
        package init(_ bytes: RawSpan) throws(CryptoError) {
            guard bytes.byteCount == Self.byteCount else {
                throw .wrongLength(expected: Self.byteCount, got: bytes.byteCount)
            }
            self.words = InlineArray { index in
                // Any eight bytes are a UInt64, and the load checks its bounds.
                bytes.unsafeLoadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
            }
        }

        /// Draws a nonce; with 24 bytes two random ones do not meet.
        package init<Random: RandomNumberGenerator>(using random: inout Random) {
            // In one byte order everywhere, so that a seeded generator gives the same nonce.
            self.words = InlineArray { _ in random.next().littleEndian }
        }

        private init(_ words: InlineArray<3, UInt64>) { self.words = words }

        /// The one that follows: its last eight bytes, as a big-endian number, are one more, modulo 2⁶⁴.
        ///
        /// Nonces that follow one that was drawn meet others as rarely as those that were drawn do.
        package var next: Nonce {
            var words = self.words
            words[2] = (UInt64(bigEndian: words[2]) &+ 1).bigEndian
            return Nonce(words)
        }

        /// Lends the bytes without copying them.
        package func withBytes<R: ~Copyable, E: Error>(
            _ body: (RawSpan) throws(E) -> R
        ) throws(E) -> R {
            try body(self.words.span.bytes)
        }

        /// Whether all bytes are the same.
        package static func == (one: Nonce, other: Nonce) -> Bool {
            one.words[0] == other.words[0] && one.words[1] == other.words[1]
                && one.words[2] == other.words[2]
        }

        /// Appends the bytes to `output`.
        package func append(to output: inout [UInt8]) {
            output.append(self.words.span.bytes)
        }
    }

    /// Appends the ciphertext and tag of `plaintext` to `output`.
    ///
    /// The associated data is authenticated and not sent along; the reader must give the same.
    static func seal(
        _ plaintext: RawSpan, associatedData: RawSpan, nonce: Nonce, key: borrowing SecretKey,
        appendingTo output: inout [UInt8]
    ) {
        output.appendSealed(byteCount: plaintext.byteCount + self.tagByteCount) { sealed in
            nonce.withBytes {
                key.storage.lend(plaintext, associatedData, $0) {
                    crypto_aead_xchacha20poly1305_ietf_encrypt(
                        sealed, nil, $0, UInt64($1), $2, UInt64($3), nil, $4, $5)
                }
            }
        }
    }

    /// Verifies `ciphertext` with its tag and appends the plaintext to `output`.
    ///
    /// Throws `messageTooShort` when there is no room for a tag and `decryptFailed` when it does
    /// not verify; then nothing was appended.
    static func open(
        _ ciphertext: RawSpan, associatedData: RawSpan, nonce: Nonce, key: borrowing SecretKey,
        appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        try output.appendOpened(
            sealedByteCount: ciphertext.byteCount, tagByteCount: self.tagByteCount
        ) { opened in
            nonce.withBytes {
                key.storage.lend(ciphertext, associatedData, $0) {
                    crypto_aead_xchacha20poly1305_ietf_decrypt(
                        opened, nil, nil, $0, UInt64($1), $2, UInt64($3), $4, $5)
                }
            }
        }
    }
}
