/// The chaining key, the handshake hash and the cipher of a handshake.
///
/// Noise section 5.2.
package struct SymmetricState: ~Copyable, Sendable {
    /// The hash of everything that both sides have seen so far: `h`.
    package private(set) var handshakeHash: Bytes64
    private var chainingKey: SecretBytes  // `ck`
    private var cipher: CipherState

    /// Starts from the protocol's name.
    ///
    /// `InitializeSymmetric`.
    package init(protocolName: StaticString) {
        var name: [UInt8] = []
        protocolName.withUTF8Buffer { name.append(contentsOf: $0) }
        // A name of up to HASHLEN bytes is filled up with zeros; a longer one is hashed.
        if name.count <= Bytes64.byteCount {
            name.append(contentsOf: repeatElement(0, count: Bytes64.byteCount - name.count))
        }
        self.handshakeHash = Bytes64(name) ?? BLAKE2b.hash512(name.span.bytes)
        self.chainingKey = self.handshakeHash.withBytes { SecretBytes($0, .wiped) }
        self.cipher = CipherState(.wiped)
    }

    private init(
        handshakeHash: Bytes64, chainingKey: consuming SecretBytes, cipher: consuming CipherState
    ) {
        self.handshakeHash = handshakeHash
        self.chainingKey = chainingKey
        self.cipher = cipher
    }

    /// A second state to try a message on; the one that is not kept must be dropped.
    package borrowing func fork() -> SymmetricState {
        SymmetricState(
            handshakeHash: self.handshakeHash, chainingKey: self.chainingKey.copy(.wiped),
            cipher: self.cipher.fork())
    }

    /// Mixes a shared secret into the chaining key and the cipher key.
    ///
    /// `MixKey`.
    package mutating func mixKey(_ secret: borrowing SecretKey) {
        secret.withBytes { self.mixKey($0) }
    }

    /// Mixes bytes into the chaining key and the cipher key.
    ///
    /// `MixKey`.
    package mutating func mixKey(_ material: RawSpan) {
        var (chainingKey, key) = self.chainingKey.withBytes { chainingKey in
            HKDF.twoOutputs(chainingKey: chainingKey, inputKeyMaterial: material)
        }
        chainingKey.withBytes { self.chainingKey.overwrite(with: $0) }
        self.cipher.initializeKey(truncating: key)
        chainingKey.wipe()
        key.wipe()
    }

    /// Mixes a secret that both sides hold into the chaining key, the hash and the cipher key.
    ///
    /// `MixKeyAndHash`.
    package mutating func mixKeyAndHash(_ secret: borrowing SecretKey) {
        var (chainingKey, hash, key) = self.chainingKey.withBytes { chainingKey in
            secret.withBytes { secret in
                HKDF.threeOutputs(chainingKey: chainingKey, inputKeyMaterial: secret)
            }
        }
        chainingKey.withBytes { self.chainingKey.overwrite(with: $0) }
        hash.withBytes { self.mixHash($0) }
        self.cipher.initializeKey(truncating: key)
        chainingKey.wipe()
        hash.wipe()
        key.wipe()
    }

    /// Mixes bytes that both sides know into the handshake hash.
    ///
    /// `MixHash`.
    package mutating func mixHash(_ bytes: RawSpan) {
        var hasher = BLAKE2b.Hasher(outputByteCount: Bytes64.byteCount)
        hasher.update(self.handshakeHash)
        hasher.update(bytes)
        self.handshakeHash = hasher.finalize512()
    }

    /// Appends the encrypted `plaintext` to `output` and mixes it in.
    ///
    /// `EncryptAndHash`.
    package mutating func encryptAndHash(
        _ plaintext: RawSpan, appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        let start = output.count
        let hash = self.handshakeHash
        try hash.withBytes { (hash) throws(CryptoError) in
            try self.cipher.encrypt(plaintext, associatedData: hash, appendingTo: &output)
        }
        self.mixHash(output.span.bytes.extracting(start..<output.count))
    }

    /// Decrypts `ciphertext` and mixes it in.
    ///
    /// `DecryptAndHash`.
    ///
    /// After an error the state must be dropped with the message; callers work on a fork.
    package mutating func decryptAndHash(_ ciphertext: RawSpan) throws(CryptoError) -> [UInt8] {
        var plaintext: [UInt8] = []
        let hash = self.handshakeHash
        try hash.withBytes { (hash) throws(CryptoError) in
            try self.cipher.decrypt(ciphertext, associatedData: hash, appendingTo: &plaintext)
        }
        self.mixHash(ciphertext)
        return plaintext
    }

    /// How many bytes encryption adds at this point: none while there is no key.
    package var overheadByteCount: Int {
        self.cipher.hasKey ? CipherState.tagByteCount : 0
    }

    /// The ciphers of the two directions, the first one the initiator's to send with, and a third
    /// output that keys what else the two ends tell each other.
    ///
    /// `Split`, with one output of its HKDF more.
    package consuming func split() -> SplitCiphers {
        var (first, second, exporter) = self.chainingKey.withBytes { chainingKey in
            HKDF.threeOutputs(chainingKey: chainingKey, inputKeyMaterial: RawSpan())
        }
        var ciphers = SplitCiphers(
            first: CipherState(), second: CipherState(), exporter: exporter)
        exporter.wipe()
        ciphers.first.initializeKey(truncating: first)
        ciphers.second.initializeKey(truncating: second)
        first.wipe()
        second.wipe()
        return ciphers
    }
}

/// What `Split` gives; a pair of its own, as tuples cannot hold values that are not copied.
package struct SplitCiphers: ~Copyable, Sendable {
    /// Encrypts what the initiator sends.
    package var first: CipherState
    /// Encrypts what the responder sends.
    package var second: CipherState
    /// Known to the two ends only.
    package let exporter: Bytes64
}
