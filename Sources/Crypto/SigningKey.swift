import CSodium

/// An Ed25519 signing key in guarded memory.
///
/// RFC 8032.
package struct SigningKey: ~Copyable, Sendable {
    /// The length of the seed that the key is made from and saved as, in bytes.
    package static let seedByteCount = 32

    /// The public key, which names its owner.
    package let publicKey: Bytes32
    private let secret: SecretBytes  // as libsodium keeps it: seed, then public key

    /// Makes the key of a seed of exactly 32 bytes, as it was saved in a file.
    ///
    /// Throws `wrongLength` for any other length. C function `crypto_sign_seed_keypair`.
    package init(seed: RawSpan) throws(CryptoError) {
        guard seed.byteCount == Self.seedByteCount else {
            throw .wrongLength(expected: Self.seedByteCount, got: seed.byteCount)
        }
        var publicKey = Bytes32.zero
        self.secret = SecretBytes(count: Int(crypto_sign_ed25519_SECRETKEYBYTES)) { secret in
            publicKey = Bytes32 { publicKey in
                seed.withPointer { seed, _ in
                    let status = crypto_sign_ed25519_seed_keypair(publicKey, secret, seed)
                    precondition(status == 0, "every seed makes a key pair")
                }
            }
        }
        self.publicKey = publicKey
    }

    private init(publicKey: Bytes32, secret: consuming SecretBytes) {
        self.publicKey = publicKey
        self.secret = secret
    }

    /// Makes a new random key.
    ///
    /// C function `crypto_sign_keypair`.
    package static func generate() -> SigningKey {
        var publicKey = Bytes32.zero
        let secret = SecretBytes(count: Int(crypto_sign_ed25519_SECRETKEYBYTES)) { secret in
            publicKey = Bytes32 { publicKey in
                let status = crypto_sign_ed25519_keypair(publicKey, secret)
                precondition(status == 0, "every seed makes a key pair")
            }
        }
        return SigningKey(publicKey: publicKey, secret: secret)
    }

    /// Signs `message`; the same message always gives the same signature.
    ///
    /// Takes about 17 µs. C function `crypto_sign_detached`.
    package borrowing func sign(_ message: RawSpan) -> Bytes64 {
        Bytes64 { signature in
            self.secret.withPointer { secret in
                message.withPointer { message, count in
                    let status = crypto_sign_ed25519_detached(
                        signature, nil, message, UInt64(count), secret)
                    precondition(status == 0, "signing with a whole key cannot fail")
                }
            }
        }
    }

    /// Signs `message`, as the other form does.
    package borrowing func sign(_ message: [UInt8]) -> Bytes64 {
        self.sign(message.span.bytes)
    }

    /// Lends the 32-byte seed, from which `init(seed:)` makes this key again.
    ///
    /// Meant for writing the key to its file; keep no other copy.
    package borrowing func withSeed<R: ~Copyable, E: Error>(
        _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        try self.secret.withBytes { (bytes) throws(E) -> R in
            try body(bytes.extracting(0..<Self.seedByteCount))
        }
    }

    /// The secret that this key and the owner of `peer` share, each from their own key and the
    /// other's public key.
    ///
    /// Both keys are converted to X25519. The result is not uniform: derive keys from it by hashing
    /// it with both public keys. Throws `unusablePublicKey` when `peer` is not an acceptable key or
    /// the result is zero. C functions `crypto_sign_ed25519_pk_to_curve25519`,
    /// `crypto_sign_ed25519_sk_to_curve25519`, `crypto_scalarmult`.
    package borrowing func x25519SharedSecret(
        with peer: Bytes32
    ) throws(CryptoError) -> SecretKey {
        guard Ed25519.isAcceptable(publicKey: peer) else { throw .unusablePublicKey }
        var status: Int32 = 0
        let converted = Bytes32 { converted in
            peer.withPointer { peer in
                status = crypto_sign_ed25519_pk_to_curve25519(converted, peer)
            }
        }
        guard status == 0 else { throw .unusablePublicKey }
        let own = SecretKey(.wiped) { own in
            self.secret.withPointer { secret in
                status = crypto_sign_ed25519_sk_to_curve25519(own, secret)
            }
        }
        precondition(status == 0, "a whole signing key always converts")
        return try X25519.sharedSecret(own, with: converted)
    }
}
