import CSodium

/// Encryption without a tag, for bytes of which every part is checked by a hash.
///
/// draft-irtf-cfrg-xchacha, with a nonce of zeros: a key encrypts one file and no other. C function
/// `crypto_stream_xchacha20_xor_ic`.
public enum XChaCha20 {
    /// How many bytes a block of the key stream has.
    public static let blockBytes = 64

    /// Draws a key for one file.
    public static func makeKey() -> Bytes32 {
        Sodium.initialize()
        return Bytes32 { randombytes_buf($0, Bytes32.byteCount) }
    }

    /// Encrypts bytes of a file, or decrypts them.
    ///
    /// - Parameters:
    ///   - offset: where the bytes stand in the file; a multiple of ``blockBytes``, else it traps.
    ///   - key: 32 bytes, used for this file alone.
    public static func apply(_ key: Bytes32, to bytes: [UInt8], at offset: UInt64) -> [UInt8] {
        precondition(offset % UInt64(self.blockBytes) == 0, "a part begins with a block")
        Sodium.initialize()
        let nonce: InlineArray<24, UInt8> = .init(repeating: 0)
        var output: [UInt8] = []
        output.reserveCapacity(bytes.count + 1)
        output.appendSealed(byteCount: bytes.count) { target in
            bytes.span.bytes.withPointer { source, count in
                nonce.span.bytes.withPointer { nonce, _ in
                    key.withBytes { key in
                        key.withPointer { key, _ in
                            crypto_stream_xchacha20_xor_ic(
                                target, source, UInt64(count), nonce,
                                offset / UInt64(self.blockBytes), key)
                        }
                    }
                }
            }
        }
        return output
    }
}
