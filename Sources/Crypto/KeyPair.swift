/// An X25519 key pair, static or ephemeral.
///
/// Noise section 4.1, `GENERATE_KEYPAIR`.
package struct KeyPair: ~Copyable, Sendable {
    package let publicKey: Bytes32
    let secret: SecretKey

    /// Makes the pair of a secret key.
    package init(secret: consuming SecretKey) {
        self.publicKey = X25519.publicKey(of: secret)
        self.secret = secret
    }

    private init(publicKey: Bytes32, secret: consuming SecretKey) {
        self.publicKey = publicKey
        self.secret = secret
    }

    /// Makes a new random pair.
    package static func generate() -> KeyPair {
        KeyPair(secret: .generate())
    }

    static func generate(_ protection: SecretBytes.Protection) -> KeyPair {
        KeyPair(secret: .generate(protection))
    }

    /// Makes a second guarded copy, as each handshake owns the static key it uses.
    package borrowing func copy() -> KeyPair {
        KeyPair(publicKey: self.publicKey, secret: self.secret.copy())
    }
}
