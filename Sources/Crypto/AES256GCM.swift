import CSodium

/// Authenticated encryption by the processor's own instructions, under a key of its own for each
/// message.
///
/// NIST SP 800-38D; C functions `crypto_aead_aes256gcm_*`. A nonce of twelve bytes is too short to be
/// drawn at random for many messages. So each message has a random salt, from which its key is
/// derived, and a nonce of zeros, which so is never used twice under one key.
package enum AES256GCM {
    /// The length of the tag that sealing adds, in bytes.
    package static let tagByteCount = 16
    /// The length of a salt, in bytes.
    package static let saltByteCount = 32

    private static let nonce = [UInt8](repeating: 0, count: 12)

    /// Whether the processor has the instructions.
    ///
    /// C function `crypto_aead_aes256gcm_is_available`.
    package static var isAvailable: Bool {
        Sodium.initialize()
        return crypto_aead_aes256gcm_is_available() == 1
    }

    /// The key of one message, in memory that is wiped at once.
    private static func messageKey(
        _ key: borrowing SecretKey, salt: RawSpan, personal: BLAKE2b.Personal
    ) throws(CryptoError) -> SecretBytes {
        guard self.isAvailable else { throw .unsupported }
        guard salt.byteCount == self.saltByteCount else {
            throw .wrongLength(expected: self.saltByteCount, got: salt.byteCount)
        }
        return BLAKE2b.deriveBytes(from: key, context: salt, personal: personal)
    }

    /// Appends the ciphertext and tag of `plaintext` to `output`.
    ///
    /// `salt` has 32 random bytes; `personal` keeps keys for messages apart from others. Traps where
    /// the processor lacks the instructions, and on a salt of another length.
    static func seal(
        _ plaintext: RawSpan, associatedData: RawSpan, key: borrowing SecretKey, salt: RawSpan,
        personal: BLAKE2b.Personal, appendingTo output: inout [UInt8]
    ) {
        guard let key = try? self.messageKey(key, salt: salt, personal: personal) else {
            preconditionFailure("whoever seals looks first whether the machine can")
        }
        self.seal(plaintext, associatedData: associatedData, key: key, appendingTo: &output)
    }

    /// Verifies `ciphertext` with its tag and appends the plaintext to `output`.
    ///
    /// Throws `unsupported` where the processor lacks the instructions, `wrongLength` for a salt of
    /// another length, `messageTooShort` and `decryptFailed`; then nothing was appended.
    static func open(
        _ ciphertext: RawSpan, associatedData: RawSpan, key: borrowing SecretKey, salt: RawSpan,
        personal: BLAKE2b.Personal, appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        let key = try self.messageKey(key, salt: salt, personal: personal)
        try self.open(ciphertext, associatedData: associatedData, key: key, appendingTo: &output)
    }

    /// Seals under the key of one message.
    static func seal(
        _ plaintext: RawSpan, associatedData: RawSpan, key: borrowing SecretBytes,
        appendingTo output: inout [UInt8]
    ) {
        output.appendSealed(byteCount: plaintext.byteCount + self.tagByteCount) { sealed in
            plaintext.withPointer { plaintext, count in
                associatedData.withPointer { associatedData, associatedCount in
                    key.withPointer { key in
                        crypto_aead_aes256gcm_encrypt(
                            sealed, nil, plaintext, UInt64(count), associatedData,
                            UInt64(associatedCount), nil, self.nonce, key)
                    }
                }
            }
        }
    }

    /// Opens with the key of one message.
    static func open(
        _ ciphertext: RawSpan, associatedData: RawSpan, key: borrowing SecretBytes,
        appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        try output.appendOpened(
            sealedByteCount: ciphertext.byteCount, tagByteCount: self.tagByteCount
        ) { opened in
            ciphertext.withPointer { ciphertext, count in
                associatedData.withPointer { associatedData, associatedCount in
                    key.withPointer { key in
                        crypto_aead_aes256gcm_decrypt(
                            opened, nil, nil, ciphertext, UInt64(count), associatedData,
                            UInt64(associatedCount), self.nonce, key)
                    }
                }
            }
        }
    }
}

extension SealingKey {
    /// Appends the ciphertext and tag of `plaintext` under AES-256-GCM to `output`.
    ///
    /// `salt` has 32 random bytes; `personal` keeps keys for messages apart from others. Traps where
    /// ``AES256GCM/isAvailable`` is false, and on a salt of another length.
    package func sealAES256GCM(
        _ plaintext: RawSpan, associatedData: RawSpan, salt: RawSpan, personal: BLAKE2b.Personal,
        appendingTo output: inout [UInt8]
    ) {
        AES256GCM.seal(
            plaintext, associatedData: associatedData, key: self.key, salt: salt,
            personal: personal, appendingTo: &output)
    }

    /// Verifies `ciphertext` and appends the plaintext to `output`.
    ///
    /// Throws `unsupported` where the processor lacks the instructions, `wrongLength` for a salt of
    /// another length, `messageTooShort` and `decryptFailed`; then nothing was appended.
    package func openAES256GCM(
        _ ciphertext: RawSpan, associatedData: RawSpan, salt: RawSpan, personal: BLAKE2b.Personal,
        appendingTo output: inout [UInt8]
    ) throws(CryptoError) {
        try AES256GCM.open(
            ciphertext, associatedData: associatedData, key: self.key, salt: salt,
            personal: personal, appendingTo: &output)
    }
}
