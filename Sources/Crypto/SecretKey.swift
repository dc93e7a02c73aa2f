import CSodium

/// Thirty-two secret bytes in guarded memory, which are lent and never returned.
///
/// The memory is locked against swapping where the system allows it and is wiped when the key goes
/// out of scope. C functions `sodium_malloc`, `sodium_free`.
package struct SecretKey: ~Copyable, Sendable {
    /// The length of every secret key of this module, in bytes.
    package static let byteCount = 32

    let storage: SecretBytes

    /// Copies a key of exactly 32 bytes into guarded memory.
    ///
    /// Throws `wrongLength` for any other length. The caller's own copy stays as it is.
    package init(_ bytes: RawSpan) throws(CryptoError) {
        guard bytes.byteCount == Self.byteCount else {
            throw .wrongLength(expected: Self.byteCount, got: bytes.byteCount)
        }
        self.storage = SecretBytes(bytes)
    }

    init<E: Error>(
        _ protection: SecretBytes.Protection = .guarded,
        filledBy fill: (UnsafeMutablePointer<UInt8>) throws(E) -> Void
    ) throws(E) {
        self.storage = try SecretBytes(count: Self.byteCount, protection, filledBy: fill)
    }

    private init(storage: consuming SecretBytes) {
        self.storage = storage
    }

    /// Makes a new random key.
    ///
    /// C function `randombytes_buf`.
    package static func generate() -> SecretKey {
        self.generate(.guarded)
    }

    static func generate(_ protection: SecretBytes.Protection) -> SecretKey {
        SecretKey(protection) { randombytes_buf($0, Self.byteCount) }
    }

    /// Makes a second guarded copy of the same key.
    package borrowing func copy() -> SecretKey {
        SecretKey(storage: self.storage.copy(.guarded))
    }

    /// Lends the 32 bytes for the time of the call.
    ///
    /// Do not copy them into ordinary memory unless they are to be written to a file.
    package borrowing func withBytes<R: ~Copyable, E: Error>(
        _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        try self.storage.withBytes(body)
    }
}
