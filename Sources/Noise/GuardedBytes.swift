import CSodium

/// A fixed number of secret bytes in guarded memory: locked against swapping where the system
/// allows it, fenced by inaccessible pages, and wiped when freed.
///
/// C functions `sodium_malloc`, `sodium_free`.
struct GuardedBytes: ~Copyable, @unchecked Sendable {  // one owner: written only when exclusive
    /// The number of bytes.
    let count: Int
    private let storage: UnsafeMutablePointer<UInt8>  // from sodium_malloc, freed in deinit

    /// Allocates `count` bytes and lets `fill` write all of them.
    init<E: Error>(
        count: Int, filledBy fill: (UnsafeMutablePointer<UInt8>) throws(E) -> Void
    ) throws(E) {
        Sodium.initialize()
        guard let memory = sodium_malloc(count) else {
            preconditionFailure("no memory left for a key")
        }
        self.count = count
        self.storage = memory.assumingMemoryBound(to: UInt8.self)
        try fill(self.storage)
    }

    /// Copies `bytes` into guarded memory.
    init(_ bytes: RawSpan) {
        self.init(count: bytes.byteCount) { destination in
            bytes.withPointer { source, count in
                destination.update(from: source, count: count)
            }
        }
    }

    deinit {
        sodium_free(self.storage)
    }

    /// A second guarded copy of the same bytes.
    borrowing func copy() -> GuardedBytes {
        GuardedBytes(count: self.count) { $0.update(from: self.storage, count: self.count) }
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

    /// Overwrites the first bytes with `bytes`, which must not be longer than the memory.
    mutating func overwrite(with bytes: RawSpan) {
        precondition(bytes.byteCount <= self.count, "the bytes must fit the guarded memory")
        bytes.withPointer { source, count in
            self.storage.update(from: source, count: count)
        }
    }
}
