import CSodium

/// The Diffie–Hellman function of the suite.
///
/// RFC 7748; Noise section 12.1.
package enum X25519 {
    /// The public key of a secret key.
    ///
    /// C function `crypto_scalarmult_base`.
    package static func publicKey(of secret: borrowing SecretKey) -> Bytes32 {
        Bytes32 { publicKey in
            secret.storage.withPointer { secret in
                let status = crypto_scalarmult_curve25519_base(publicKey, secret)
                precondition(status == 0, "every scalar has a public key")
            }
        }
    }

    /// Whether a public key is of small order, so that it shares the same secret with everybody.
    ///
    /// True for all that `sharedSecret` throws at. RFC 7748 section 6.1.
    package static func isOfSmallOrder(_ publicKey: Bytes32) -> Bool {
        var bytes = publicKey.bytes
        bytes[31] &= 0x7f  // X25519 leaves the highest bit out
        return Self.smallOrder.contains(bytes)
    }

    /// The points of small order in every form that a field element may have in 32 bytes.
    ///
    /// In order: 0, 1, the two of order 8, p − 1, p and p + 1, where p is 2^255 − 19.
    private static let smallOrder: Set<[UInt8]> = {
        let middle = [UInt8](repeating: 0, count: 30)
        let full = [UInt8](repeating: 0xff, count: 30)
        return [
            [0x00] + middle + [0x00],
            [0x01] + middle + [0x00],
            [
                0xe0, 0xeb, 0x7a, 0x7c, 0x3b, 0x41, 0xb8, 0xae, 0x16, 0x56, 0xe3, 0xfa, 0xf1, 0x9f,
                0xc4, 0x6a, 0xda, 0x09, 0x8d, 0xeb, 0x9c, 0x32, 0xb1, 0xfd, 0x86, 0x62, 0x05, 0x16,
                0x5f, 0x49, 0xb8, 0x00,
            ],
            [
                0x5f, 0x9c, 0x95, 0xbc, 0xa3, 0x50, 0x8c, 0x24, 0xb1, 0xd0, 0xb1, 0x55, 0x9c, 0x83,
                0xef, 0x5b, 0x04, 0x44, 0x5c, 0xc4, 0x58, 0x1c, 0x8e, 0x86, 0xd8, 0x22, 0x4e, 0xdd,
                0xd0, 0x9f, 0x11, 0x57,
            ],
            [0xec] + full + [0x7f],
            [0xed] + full + [0x7f],
            [0xee] + full + [0x7f],
        ]
    }()

    /// The shared secret of one's own secret key and another's public key.
    ///
    /// Throws `unusablePublicKey` when the result is all zero, which only a key of small order
    /// brings about; Noise leaves this check to the application. C function `crypto_scalarmult`.
    package static func sharedSecret(
        _ secret: borrowing SecretKey, with publicKey: Bytes32
    ) throws(CryptoError) -> SecretKey {
        try self.sharedSecret(secret, with: publicKey, .guarded)
    }

    static func sharedSecret(
        _ secret: borrowing SecretKey, with publicKey: Bytes32, _ protection: SecretBytes.Protection
    ) throws(CryptoError) -> SecretKey {
        var status: Int32 = 0
        let shared = SecretKey(protection) { shared in
            secret.storage.withPointer { secret in
                publicKey.withPointer { publicKey in
                    status = crypto_scalarmult_curve25519(shared, secret, publicKey)
                }
            }
        }
        guard status == 0 else { throw .unusablePublicKey }
        return shared
    }
}
