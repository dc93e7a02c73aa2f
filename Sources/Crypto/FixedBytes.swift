import CSodium

/// Sixteen bytes held in place: a tag.
package typealias Bytes16 = FixedBytes<2>

/// Thirty-two bytes held in place: a public key, a hash, an identifier.
package typealias Bytes32 = FixedBytes<4>

/// Sixty-four bytes held in place: an Ed25519 signature or a BLAKE2b-512 hash.
package typealias Bytes64 = FixedBytes<8>

/// So many words of eight bytes each, held in place; see ``Bytes32`` and ``Bytes64``.
///
/// Not for secrets.
package struct FixedBytes<let wordCount: Int>: Hashable, Sendable {
    /// The number of bytes.
    @inlinable package static var byteCount: Int { 8 * wordCount }

    /// The value whose bytes are all zero.
    @inlinable @inline(__always)
    package static var zero: Self { Self(words: InlineArray(repeating: 0)) }

    // The bytes lie in memory in their own order, so lending them copies nothing, while equality
    // and hashing work on words. What is always inlined would otherwise look up the type of the words
    // at each call from another module.
    @usableFromInline var words: InlineArray<wordCount, UInt64>

    @inlinable @inline(__always)
    init(words: InlineArray<wordCount, UInt64>) {
        self.words = words
    }

    /// Copies exactly ``byteCount`` bytes; nil for any other length.
    @inlinable
    package init?(_ bytes: RawSpan) {
        guard bytes.byteCount == Self.byteCount else { return nil }
        self.words = InlineArray { index in
            // Any eight bytes are a UInt64, and the load checks its bounds.
            bytes.unsafeLoadUnaligned(fromByteOffset: index * 8, as: UInt64.self)
        }
    }

    /// Copies exactly ``byteCount`` bytes; nil for any other length.
    @inlinable
    package init?(_ bytes: Span<UInt8>) {
        self.init(bytes.bytes)
    }

    /// Copies exactly ``byteCount`` bytes; nil for any other length.
    @inlinable
    package init?(_ bytes: [UInt8]) {
        self.init(bytes.span.bytes)
    }

    /// Copies exactly ``byteCount`` bytes; nil for any other length.
    @inlinable
    package init?(_ bytes: ArraySlice<UInt8>) {
        self.init(bytes.span.bytes)
    }

    /// Makes a value from what a C function writes.
    init<E: Error>(
        filledBy fill: (UnsafeMutablePointer<UInt8>) throws(E) -> Void
    ) throws(E) {
        self.words = InlineArray(repeating: 0)
        try withUnsafeMutableBytes(of: &self.words) { (buffer) throws(E) in
            guard let base = buffer.baseAddress else { return }
            try fill(base.assumingMemoryBound(to: UInt8.self))
        }
    }

    /// Overwrites a value that held a secret with zeros that the optimizer must keep.
    mutating func wipe() {
        withUnsafeMutableBytes(of: &self.words) { sodium_memzero($0.baseAddress, $0.count) }
    }

    /// Lends the bytes without copying them.
    @inlinable
    package func withBytes<R: ~Copyable, E: Error>(
        _ body: (RawSpan) throws(E) -> R
    ) throws(E) -> R {
        try body(self.words.span.bytes)
    }

    /// Lends the bytes to a C function.
    func withPointer<R: ~Copyable, E: Error>(
        _ body: (UnsafePointer<UInt8>) throws(E) -> R
    ) throws(E) -> R {
        try self.words.span.bytes.withPointer { (pointer, _) throws(E) -> R in try body(pointer) }
    }

    /// Appends the bytes to `output`.
    @inlinable @inline(__always)
    package func append(to output: inout [UInt8]) {
        withUnsafeBytes(of: self.words) { output.append(contentsOf: $0) }
    }

    /// The bytes as an array.
    package var bytes: [UInt8] {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(Self.byteCount)
        self.append(to: &bytes)
        return bytes
    }

    /// Whether both hold the same bytes; takes no constant time, so not for secrets.
    @inlinable @inline(__always)
    package static func == (left: Self, right: Self) -> Bool {
        for index in left.words.indices where left.words[index] != right.words[index] {
            return false
        }
        return true
    }

    /// Feeds the first eight of 32 bytes to the hasher, else all.
    ///
    /// Public keys and hashes are what tables are looked up by, several dozen times for a message,
    /// and of these nobody can make many that begin alike.
    @inlinable
    package func hash(into hasher: inout Hasher) {
        for index in 0..<(wordCount == 4 ? 1 : wordCount) { hasher.combine(self.words[index]) }
    }
}

extension FixedBytes: Comparable {
    /// Orders by the first byte that differs, as `memcmp` does.
    @inlinable
    package static func < (left: Self, right: Self) -> Bool {
        for index in left.words.indices where left.words[index] != right.words[index] {
            return left.words[index].bigEndian < right.words[index].bigEndian
        }
        return false
    }
}

extension FixedBytes: CustomStringConvertible {
    /// The bytes in lower-case hexadecimal.
    package var description: String {
        let digits = Array("0123456789abcdef".utf8)
        var text: [UInt8] = []
        text.reserveCapacity(2 * Self.byteCount)
        for byte in self.bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0x0f)])
        }
        return String(decoding: text, as: UTF8.self)
    }
}
