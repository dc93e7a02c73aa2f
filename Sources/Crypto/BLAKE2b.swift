import CSodium

/// The hash function BLAKE2b, with personalisation and its own keyed mode.
///
/// RFC 7693.
///
/// The keyed mode is a message authentication code of its own and *not* HMAC; see `HMACBLAKE2b`.
package enum BLAKE2b {
    /// The bytes that keep one use of the hash apart from every other.
    ///
    /// Two hashes with different personalisations are unrelated, also over the same input.
    package struct Personal: Hashable, Sendable {
        /// The longest personalisation, in bytes.
        package static let byteCount = 16

        /// No personalisation: the plain hash.
        package static let none = Personal("")

        private let low: UInt64
        private let high: UInt64

        /// Takes a text of at most 16 bytes and fills it up with zeros; traps on a longer one.
        package init(_ text: StaticString) {
            precondition(
                text.utf8CodeUnitCount <= Self.byteCount, "a personalisation has 16 bytes")
            var words: InlineArray<2, UInt64> = [0, 0]
            text.withUTF8Buffer { source in
                withUnsafeMutableBytes(of: &words) { $0.copyBytes(from: source) }
            }
            self.low = words[0]
            self.high = words[1]
        }

        /// Lends the 16 bytes to a C function.
        func withPointer<R>(_ body: (UnsafePointer<UInt8>) -> R) -> R {
            let words: InlineArray<2, UInt64> = [self.low, self.high]
            return words.span.bytes.withPointer { pointer, _ in body(pointer) }
        }
    }

    /// The 32-byte hash of `bytes`.
    ///
    /// C function `crypto_generichash_blake2b_salt_personal`.
    package static func hash256(_ bytes: RawSpan, personal: Personal = .none) -> Bytes32 {
        Sodium.initialize()
        return Bytes32 { hash in
            self.compute(hash, Bytes32.byteCount, bytes, nil, 0, personal)
        }
    }

    /// The 32-byte hash of `bytes`, as the other form gives it.
    package static func hash256(_ bytes: [UInt8], personal: Personal = .none) -> Bytes32 {
        self.hash256(bytes.span.bytes, personal: personal)
    }

    /// The 32-byte hash of `bytes` under a key of 1 to 64 bytes; traps on a key of another length.
    ///
    /// BLAKE2b's keyed mode. C function `crypto_generichash_blake2b_salt_personal`.
    package static func hash256(
        _ bytes: RawSpan, key: RawSpan, personal: Personal = .none
    ) -> Bytes32 {
        Sodium.initialize()
        self.checkKey(key)
        return Bytes32 { hash in
            key.withPointer { key, keyCount in
                self.compute(hash, Bytes32.byteCount, bytes, key, keyCount, personal)
            }
        }
    }

    /// The 32-byte hash of `bytes` under a secret key, in BLAKE2b's keyed mode.
    package static func hash256(
        _ bytes: RawSpan, key: borrowing SecretKey, personal: Personal = .none
    ) -> Bytes32 {
        key.withBytes { self.hash256(bytes, key: $0, personal: personal) }
    }

    /// Derives a secret key from another one, apart for each personalisation and context.
    ///
    /// BLAKE2b's keyed mode with `context` as input, written into guarded memory only.
    package static func deriveKey(
        from key: borrowing SecretKey, context: RawSpan, personal: Personal
    ) -> SecretKey {
        SecretKey { derived in
            key.storage.withPointer { key in
                self.compute(
                    derived, SecretKey.byteCount, context, key, SecretKey.byteCount, personal)
            }
        }
    }

    /// As ``deriveKey(from:context:personal:)``, into memory that is cheap and wiped after use.
    static func deriveBytes(
        from key: borrowing SecretKey, context: RawSpan, personal: Personal
    ) -> SecretBytes {
        SecretBytes(count: SecretKey.byteCount, .wiped) { derived in
            key.storage.withPointer { key in
                self.compute(
                    derived, SecretKey.byteCount, context, key, SecretKey.byteCount, personal)
            }
        }
    }

    /// The 64-byte hash of `bytes`: Noise's `HASH`.
    ///
    /// Noise section 12.8.
    ///
    /// C function `crypto_generichash_blake2b_salt_personal`.
    package static func hash512(_ bytes: RawSpan, personal: Personal = .none) -> Bytes64 {
        Sodium.initialize()
        return Bytes64 { hash in
            self.compute(hash, Bytes64.byteCount, bytes, nil, 0, personal)
        }
    }

    static func checkKey(_ key: RawSpan) {
        precondition(
            key.byteCount >= 1 && key.byteCount <= 64, "a BLAKE2b key has 1 to 64 bytes")
    }

    // The order of arguments is the C function's.
    private static func compute(
        _ hash: UnsafeMutablePointer<UInt8>, _ count: Int, _ bytes: RawSpan,
        _ key: UnsafePointer<UInt8>?, _ keyCount: Int, _ personal: Personal
    ) {
        let status = bytes.withPointer { bytes, byteCount in
            personal.withPointer { personal in
                crypto_generichash_blake2b_salt_personal(
                    hash, count, bytes, UInt64(byteCount), key, keyCount, nil, personal)
            }
        }
        precondition(status == 0, "the lengths given to BLAKE2b are right")
    }
}
