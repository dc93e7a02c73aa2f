import COpenSSL
import CSodium

/// Encryption without a tag, for bytes of which every part is checked by a hash.
///
/// draft-irtf-cfrg-xchacha, with a nonce of zeros: a key encrypts one file and no other. C function
/// `crypto_stream_xchacha20_xor_ic`.
package enum XChaCha20 {
    /// How many bytes a block of the key stream has.
    package static let blockBytes = 64

    /// Draws a key for one file.
    package static func makeKey() -> Bytes32 {
        Sodium.initialize()
        return Bytes32 { randombytes_buf($0, Bytes32.byteCount) }
    }

    /// Encrypts bytes of a file, or decrypts them.
    ///
    /// - Parameters:
    ///   - offset: where the bytes stand in the file; a multiple of ``blockBytes``, else it traps.
    ///   - key: 32 bytes, used for this file alone.
    package static func apply(_ key: Bytes32, to bytes: [UInt8], at offset: UInt64) -> [UInt8] {
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
                            if self.applyByOpenSSL(
                                key, nonce, source, count, at: offset, to: target)
                            {
                                return 0
                            }
                            return crypto_stream_xchacha20_xor_ic(
                                target, source, UInt64(count), nonce,
                                offset / UInt64(self.blockBytes), key)
                        }
                    }
                }
            }
        }
        return output
    }

    /// The same by OpenSSL, which counts blocks in 4 bytes: enough for the largest file; false where it
    /// cannot be done.
    private static func applyByOpenSSL(
        _ key: UnsafePointer<UInt8>, _ nonce: UnsafePointer<UInt8>, _ source: UnsafePointer<UInt8>,
        _ count: Int, at offset: UInt64, to target: UnsafeMutablePointer<UInt8>
    ) -> Bool {
        OpenSSL.use(for: count) { functions in
            let (first, count) = (offset / UInt64(self.blockBytes), Int32(exactly: count))
            guard let first = UInt32(exactly: first), let count,
                first.addingReportingOverflow(UInt32(count) / UInt32(self.blockBytes)).overflow
                    == false
            else { return 0 }
            let start: InlineArray<4, UInt32> = [first.littleEndian, 0, 0, 0]
            let derived = SecretBytes(count: 32, .wiped) {
                crypto_core_hchacha20($0, nonce, key, nil)
            }
            return start.span.bytes.withPointer { start, _ in
                derived.withPointer { copenssl_apply(functions, target, source, count, start, $0) }
            }
        }
    }
}
