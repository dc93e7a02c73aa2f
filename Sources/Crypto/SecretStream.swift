internal import CSodium

/// Sealing of something longer than one message, in pieces, so that none can be left out, moved or cut
/// off behind another.
///
/// A header of 24 random bytes, then pieces of 65,536 bytes and one that is as long as the rest and says
/// that it is the last; each has 17 bytes more than what is in it. libsodium's secretstream with
/// XChaCha20-Poly1305; C functions `crypto_secretstream_xchacha20poly1305_*`.
package enum SecretStream {
    /// How much one piece holds, in bytes.
    package static let pieceByteCount = 65_536

    private static let headerByteCount = Int(crypto_secretstream_xchacha20poly1305_HEADERBYTES)
    private static let tagByteCount = Int(crypto_secretstream_xchacha20poly1305_ABYTES)
    private static let final = UInt8(crypto_secretstream_xchacha20poly1305_TAG_FINAL)

    /// Appends what is sealed of `plaintext` to `output`, each time another text.
    ///
    /// The associated data is authenticated with the first piece and not sent along; the reader must
    /// give the same.
    package static func seal(
        _ plaintext: RawSpan, associatedData: RawSpan, key: borrowing SecretKey,
        appendingTo output: inout [UInt8]
    ) {
        Sodium.initialize()
        var state = crypto_secretstream_xchacha20poly1305_state()
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        output.appendSealed(byteCount: self.headerByteCount) { header in
            key.storage.withPointer { key in
                crypto_secretstream_xchacha20poly1305_init_push(&state, header, key)
            }
        }
        var start = 0
        repeat {
            let end = min(start + self.pieceByteCount, plaintext.byteCount)
            let tag = end == plaintext.byteCount ? self.final : 0
            let added = start == 0 ? associatedData : RawSpan()
            plaintext.extracting(start..<end).withPointer { piece, count in
                added.withPointer { added, addedCount in
                    output.appendSealed(byteCount: count + self.tagByteCount) { sealed in
                        crypto_secretstream_xchacha20poly1305_push(
                            &state, sealed, nil, piece, UInt64(count), added, UInt64(addedCount),
                            tag)
                    }
                }
            }
            start = end
        } while start < plaintext.byteCount
    }

    /// Verifies what was sealed, whole, and appends the plaintext to `output`.
    ///
    /// Throws `messageTooShort` where the header or a tag is missing, and `decryptFailed` where a piece
    /// does not verify, pieces are missing or something follows the last one; `output` may have grown
    /// by pieces then, and is to be thrown away.
    package static func open(
        _ sealed: RawSpan, associatedData: RawSpan, key: borrowing SecretKey,
        appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        Sodium.initialize()
        guard sealed.byteCount >= self.headerByteCount else {
            throw .messageTooShort(expected: self.headerByteCount, got: sealed.byteCount)
        }
        var state = crypto_secretstream_xchacha20poly1305_state()
        defer { sodium_memzero(&state, MemoryLayout.size(ofValue: state)) }
        let isBegun = sealed.withPointer { header, _ in
            key.storage.withPointer { key in
                crypto_secretstream_xchacha20poly1305_init_pull(&state, header, key) == 0
            }
        }
        guard isBegun else { throw .decryptFailed }
        var start = self.headerByteCount
        var tag: UInt8 = 0
        repeat {
            let end = min(start + self.pieceByteCount + self.tagByteCount, sealed.byteCount)
            let added = start == self.headerByteCount ? associatedData : RawSpan()
            try output.appendOpened(
                sealedByteCount: end - start, tagByteCount: self.tagByteCount
            ) { opened in
                sealed.extracting(start..<end).withPointer { piece, count in
                    added.withPointer { added, addedCount in
                        crypto_secretstream_xchacha20poly1305_pull(
                            &state, opened, nil, &tag, piece, UInt64(count), added,
                            UInt64(addedCount))
                    }
                }
            }
            start = end
        } while start < sealed.byteCount && tag != self.final
        guard tag == self.final, start == sealed.byteCount else { throw .decryptFailed }
    }
}
