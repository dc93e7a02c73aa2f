import CSodium

/// Checks of Ed25519 signatures and public keys.
///
/// RFC 8032, with libsodium's strictness.
package enum Ed25519 {
    /// Whether `signature` is one of `message` by `publicKey`.
    ///
    /// False for a non-canonical S, for an R or key of small order and for a non-canonical key, so
    /// no other bytes than the signer's own pass for the same signature. Takes about 52 µs.
    /// C function `crypto_sign_verify_detached`.
    package static func verify(
        signature: Bytes64, message: RawSpan, publicKey: Bytes32
    ) -> Bool {
        Sodium.initialize()
        return signature.withPointer { signature in
            publicKey.withPointer { publicKey in
                message.withPointer { message, count in
                    crypto_sign_ed25519_verify_detached(
                        signature, message, UInt64(count), publicKey) == 0
                }
            }
        }
    }

    /// Whether `signature` is one of `message` by `publicKey`, as the other form says it.
    package static func verify(
        signature: Bytes64, message: [UInt8], publicKey: Bytes32
    ) -> Bool {
        self.verify(signature: signature, message: message.span.bytes, publicKey: publicKey)
    }

    /// Whether the key may name a peer: canonical, on the curve, in the main subgroup and so not of
    /// small order.
    ///
    /// Check every key of a stranger once, when it is first met: versions of libsodium differ in
    /// what `verify` accepts from others. C function `crypto_core_ed25519_is_valid_point`.
    package static func isAcceptable(publicKey: Bytes32) -> Bool {
        Sodium.initialize()
        return publicKey.withPointer { crypto_core_ed25519_is_valid_point($0) == 1 }
    }
}
