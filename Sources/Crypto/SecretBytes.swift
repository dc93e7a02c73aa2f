import CSodium

/// A fixed number of secret bytes with one owner, which are wiped when they go out of scope.
struct SecretBytes: ~Copyable, @unchecked Sendable {  // one owner: written only when exclusive
    /// How the memory is kept from others while it lives.
    enum Protection {
        /// Locked against swapping where the system allows it and fenced by inaccessible pages.
        ///
        /// For what lives on: identities, static keys, transport keys. It takes several system
        /// calls and some 50 µs. C functions `sodium_malloc`, `sodium_free`.
        case guarded
        /// Ordinary memory, for what a handshake computes and drops within moments.
        ///
        /// A stranger makes us compute those before it is known who it is, so they must be cheap.
        case wiped
    }

    /// The number of bytes.
    let count: Int
    private let protection: Protection
    private let storage: UnsafeMutablePointer<UInt8>  // freed once, in deinit

    /// Allocates `count` bytes and lets `fill` write all of them.
    init<E: Error>(
        count: Int, _ protection: Protection = .guarded,
        filledBy fill: (UnsafeMutablePointer<UInt8>) throws(E) -> Void
    ) throws(E) {
        Sodium.initialize()
        self.count = count
        self.protection = protection
        switch protection {
        case .guarded:
            guard let memory = sodium_malloc(count) else {
                preconditionFailure("no memory left for a key")
            }
            self.storage = memory.assumingMemoryBound(to: UInt8.self)
        case .wiped:
            self.storage = .allocate(capacity: count)
        }
        try fill(self.storage)
    }

    /// Copies `bytes`.
    init(_ bytes: RawSpan, _ protection: Protection = .guarded) {
        self.init(count: bytes.byteCount, protection) { destination in
            bytes.withPointer { source, count in
                destination.update(from: source, count: count)
            }
        }
    }

    deinit {
        switch self.protection {
        case .guarded:
            sodium_free(self.storage)
        case .wiped:
            sodium_memzero(self.storage, self.count)
            self.storage.deallocate()
        }
    }

    /// A second copy of the same bytes.
    borrowing func copy(_ protection: Protection) -> SecretBytes {
        SecretBytes(count: self.count, protection) {
            $0.update(from: self.storage, count: self.count)
        }
    }

    /// Lends the bytes for reading.
    borrowing func withBytes<R: ~Copyable, E: Error>(
        _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafeRawBufferPointer(start: self.storage, count: self.count).bytes)
    }

    /// Lends the bytes to a C function that reads them.
    borrowing func withPointer<R: ~Copyable, E: Error>(
        _ body: (UnsafePointer<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try body(UnsafePointer(self.storage))
    }

    /// Lends what a C function takes that seals or opens with them: a message, what is bound to it, a nonce, and
    /// these bytes.
    borrowing func lend(
        _ message: RawSpan, _ associatedData: RawSpan, _ nonce: RawSpan,
        _ body: (
            UnsafePointer<UInt8>, Int, UnsafePointer<UInt8>, Int, UnsafePointer<UInt8>,
            UnsafePointer<UInt8>
        ) -> Int32
    ) -> Int32 {
        message.withPointer { message, count in
            associatedData.withPointer { associatedData, associatedCount in
                nonce.withPointer { nonce, _ in
                    body(message, count, associatedData, associatedCount, nonce, self.storage)
                }
            }
        }
    }

    /// Overwrites the first bytes with `bytes`, which must not be longer than the memory.
    mutating func overwrite(with bytes: RawSpan) {
        precondition(bytes.byteCount <= self.count, "the bytes must fit the memory of the secret")
        bytes.withPointer { source, count in
            self.storage.update(from: source, count: count)
        }
    }
}
