import CSodium

/// The password hash Argon2id, version 1.3.
///
/// RFC 9106.
package enum Argon2id {
    /// The length of the salt, in bytes.
    package static let saltByteCount = 16
    /// The memory that one derivation fills, in bytes: 256 MiB.
    package static let memoryByteCount = 268_435_456
    /// The passes over that memory.
    package static let passes = 3

    /// Derives a key from a passphrase, with 256 MiB and three passes.
    ///
    /// Takes about half a second, so never call it on the event loop. Throws `wrongLength` when the
    /// salt has not 16 bytes, `messageTooLong` for a passphrase above 4,096 bytes, and
    /// `outOfMemory` when the memory is not to be had. C function `crypto_pwhash`.
    package static func deriveKey(
        passphrase: RawSpan, salt: RawSpan
    ) throws(CryptoError) -> SecretKey {
        guard salt.byteCount == self.saltByteCount else {
            throw .wrongLength(expected: self.saltByteCount, got: salt.byteCount)
        }
        guard passphrase.byteCount <= self.passphraseByteLimit else {
            throw .messageTooLong(limit: self.passphraseByteLimit, got: passphrase.byteCount)
        }
        var status: Int32 = 0
        let key = SecretKey { key in
            salt.withPointer { salt, _ in
                passphrase.withPointer { passphrase, count in
                    passphrase.withMemoryRebound(to: CChar.self, capacity: count) { passphrase in
                        status = crypto_pwhash_argon2id(
                            key, UInt64(SecretKey.byteCount), passphrase, UInt64(count), salt,
                            UInt64(self.passes), self.memoryByteCount,
                            crypto_pwhash_argon2id_ALG_ARGON2ID13)
                    }
                }
            }
        }
        guard status == 0 else { throw .outOfMemory }
        return key
    }

    /// The longest passphrase, in bytes: far more than anyone types.
    package static let passphraseByteLimit = 4_096
}
