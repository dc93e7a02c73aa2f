import COpenSSL
import CSodium

/// The hash function SHA-256, for what is large: processors have instructions for it.
///
/// FIPS 180-4. Everything else is hashed by ``BLAKE2b``.
package enum SHA256 {
    /// The hash of one byte, which keeps one use apart from another, and of `bytes` behind it.
    ///
    /// As RFC 6962, section 2.1, has it. C functions `EVP_DigestUpdate` of OpenSSL where it is loaded,
    /// `crypto_hash_sha256` otherwise.
    package static func hash(_ prefix: UInt8, _ bytes: RawSpan) -> Bytes32 {
        Sodium.initialize()
        return bytes.withPointer { bytes, count in
            Bytes32 { hash in
                if OpenSSL.use(
                    for: count, { copenssl_hash($0, hash, prefix, bytes, count) })
                {
                    return
                }
                var state = crypto_hash_sha256_state()
                crypto_hash_sha256_init(&state)
                crypto_hash_sha256_update(&state, [prefix], 1)
                crypto_hash_sha256_update(&state, bytes, UInt64(count))
                crypto_hash_sha256_final(&state, hash)
            }
        }
    }
}
