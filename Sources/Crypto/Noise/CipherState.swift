import COpenSSL
import CSodium

/// A key and a nonce counter of ChaCha20-Poly1305.
///
/// Noise section 5.1.
///
/// It cannot be copied, because two copies would encrypt under the same nonce.
package struct CipherState: ~Copyable, Sendable {
    /// The length of the tag that encryption adds, in bytes.
    package static let tagByteCount = 16

    /// The nonce that the next message uses, or, while there is no key, zero.
    package private(set) var nonce: UInt64 = 0
    /// Whether there is a key; without one, bytes pass through unchanged.
    ///
    /// `HasKey`.
    package private(set) var hasKey: Bool
    private var key: SecretBytes  // zeros while there is no key

    /// Starts without a key.
    ///
    /// `InitializeKey(empty)`.
    package init() {
        self.init(.guarded)
    }

    init(_ protection: SecretBytes.Protection) {
        self.key = Bytes32.zero.withBytes { SecretBytes($0, protection) }
        self.hasKey = false
    }

    /// Starts with a key, at nonce zero.
    ///
    /// `InitializeKey(key)`.
    package init(key: borrowing SecretKey) {
        self.key = key.storage.copy(.guarded)
        self.hasKey = true
    }

    private init(key: consuming SecretBytes, hasKey: Bool, nonce: UInt64) {
        self.key = key
        self.hasKey = hasKey
        self.nonce = nonce
    }

    /// A second state to try a handshake message on; one of the two must be dropped.
    borrowing func fork() -> CipherState {
        CipherState(key: self.key.copy(.wiped), hasKey: self.hasKey, nonce: self.nonce)
    }

    /// Takes the first 32 bytes of a derived output as key and starts at nonce zero.
    mutating func initializeKey(truncating output: Bytes64) {
        output.withBytes { self.key.overwrite(with: $0.extracting(0..<SecretKey.byteCount)) }
        self.hasKey = true
        self.nonce = 0
    }

    /// Sets the nonce that the next message uses; never to one that was used.
    ///
    /// `SetNonce`.
    package mutating func setNonce(_ nonce: UInt64) {
        self.nonce = nonce
    }

    /// Appends the ciphertext and tag of `plaintext` to `output`.
    ///
    /// `EncryptWithAd`.
    ///
    /// Without a key the plaintext itself is appended. Throws `nonceExhausted` when all 2^64 − 1
    /// nonces are used; then nothing has changed.
    package mutating func encrypt(
        _ plaintext: RawSpan, associatedData: RawSpan, appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        guard self.hasKey else {
            output.append(plaintext)
            return
        }
        let nonce = try self.nonceBytes()
        output.appendSealed(byteCount: plaintext.byteCount + Self.tagByteCount) { sealed in
            self.key.lend(plaintext, associatedData, nonce.span.bytes) {
                plain, count, data, dataCount, nonce, key in
                if dataCount == 0,
                    OpenSSL.use(
                        for: count, { copenssl_seal($0, sealed, plain, Int32(count), nonce, key) })
                {
                    return 0
                }
                return crypto_aead_chacha20poly1305_ietf_encrypt(
                    sealed, nil, plain, UInt64(count), data, UInt64(dataCount), nil, nonce, key)
            }
        }
        self.nonce += 1
    }

    /// Verifies `ciphertext` with its tag and appends the plaintext to `output`.
    ///
    /// `DecryptWithAd`.
    ///
    /// Without a key the bytes themselves are appended. Throws `messageTooShort` when there is no
    /// room for a tag, `decryptFailed` when it does not verify, and `nonceExhausted` when all
    /// nonces are used. After an error nothing has changed, and the next right message decrypts.
    package mutating func decrypt(
        _ ciphertext: RawSpan, associatedData: RawSpan, appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        guard self.hasKey else {
            output.append(ciphertext)
            return
        }
        let nonce = try self.nonceBytes()
        try output.appendOpened(
            sealedByteCount: ciphertext.byteCount, tagByteCount: Self.tagByteCount
        ) { opened in
            self.key.lend(ciphertext, associatedData, nonce.span.bytes) {
                sealed, count, data, dataCount, nonce, key in
                let plainCount = count - Self.tagByteCount
                if dataCount == 0,
                    OpenSSL.use(
                        for: plainCount,
                        { copenssl_open($0, opened, sealed, Int32(plainCount), nonce, key) })
                {
                    return 0
                }
                // Also after a tag that is not right: libsodium has the last word.
                return crypto_aead_chacha20poly1305_ietf_decrypt(
                    opened, nil, nil, sealed, UInt64(count), data, UInt64(dataCount), nonce, key)
            }
        }
        self.nonce += 1
    }

    /// Replaces the key by one derived from it; the nonce goes on.
    ///
    /// `Rekey`, Noise section 4.2.
    ///
    /// There must be a key. Whoever learns the new key cannot compute the old one.
    package mutating func rekey() {
        precondition(self.hasKey, "only a cipher with a key can be rekeyed")
        let zeros = InlineArray<4, UInt64>(repeating: 0)
        let nonce: InlineArray<3, UInt32> = [0, .max, .max]
        let next = SecretBytes(count: SecretKey.byteCount + Self.tagByteCount, .wiped) { sealed in
            let status = nonce.span.bytes.withPointer { nonce, _ in
                zeros.span.bytes.withPointer { zeros, count in
                    self.key.withPointer { key in
                        crypto_aead_chacha20poly1305_ietf_encrypt(
                            sealed, nil, zeros, UInt64(count), nil, 0, nil, nonce, key)
                    }
                }
            }
            precondition(status == 0, "encryption of a bounded input cannot fail")
        }
        next.withBytes { self.key.overwrite(with: $0.extracting(0..<SecretKey.byteCount)) }
    }

    /// Four zero bytes and the nonce in little-endian order.
    ///
    /// Noise section 12.3.
    private borrowing func nonceBytes() throws(CryptoError) -> InlineArray<3, UInt32> {
        guard self.nonce < .max else { throw .nonceExhausted }
        return [
            0, UInt32(truncatingIfNeeded: self.nonce).littleEndian,
            UInt32(truncatingIfNeeded: self.nonce >> 32).littleEndian,
        ]
    }
}
