import CSodium

/// The Diffie–Hellman function of the suite.
///
/// RFC 7748; Noise section 12.1.
public enum X25519 {
    /// The public key of a secret key.
    ///
    /// C function `crypto_scalarmult_base`.
    public static func publicKey(of secret: borrowing SecretKey) -> Bytes32 {
        Bytes32 { publicKey in
            secret.storage.withPointer { secret in
                let status = crypto_scalarmult_curve25519_base(publicKey, secret)
                precondition(status == 0, "every scalar has a public key")
            }
        }
    }

    /// The shared secret of one's own secret key and another's public key.
    ///
    /// Throws `unusablePublicKey` when the result is all zero, which only a key of small order
    /// brings about; Noise leaves this check to the application. C function `crypto_scalarmult`.
    public static func sharedSecret(
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
