package import Crypto

/// Appends fields in the wire's notation (`Docs/Protocol/Wire.md`) to a byte buffer.
package struct WireWriter: Sendable {
    /// What has been written.
    package private(set) var bytes: [UInt8] = []

    /// Creates an empty writer with room for a number of bytes.
    package init(capacity: Int = 0) { self.bytes.reserveCapacity(capacity) }

    package mutating func byte(_ value: UInt8) { self.bytes.append(value) }

    /// Appends a two-byte big-endian integer.
    package mutating func u16(_ value: UInt16) {
        self.bytes.append(UInt8(truncatingIfNeeded: value >> 8))
        self.bytes.append(UInt8(truncatingIfNeeded: value))
    }

    /// Appends an eight-byte big-endian integer.
    package mutating func u64(_ value: UInt64) { self.bytes.append(bigEndian: value) }

    /// Appends an unsigned LEB128 integer in its shortest form.
    package mutating func varint(_ value: UInt64) {
        var rest = value
        while rest >= 0x80 {
            self.bytes.append(UInt8(truncatingIfNeeded: rest) | 0x80)
            rest >>= 7
        }
        self.bytes.append(UInt8(rest))
    }

    /// Appends a count or length as a varint.
    package mutating func varint(_ value: Int) {
        precondition(value >= 0, "lengths are not negative")
        self.varint(UInt64(value))
    }

    package mutating func raw(_ value: [UInt8]) { self.bytes.append(contentsOf: value) }

    /// Appends 32 raw bytes.
    package mutating func raw(_ value: Bytes32) { value.append(to: &self.bytes) }

    /// Appends 64 raw bytes.
    package mutating func raw(_ value: Bytes64) { value.append(to: &self.bytes) }

    /// Appends a length and the bytes.
    package mutating func sized(_ value: [UInt8]) {
        self.varint(value.count)
        self.raw(value)
    }

    /// Appends the bytes from an index on, behind their length.
    mutating func sized(_ value: [UInt8], from start: Int) {
        self.varint(value.count - start)
        self.bytes.append(contentsOf: value[start...])
    }

    /// Appends a text as its length and its UTF-8 bytes.
    package mutating func text(_ value: String) {
        self.varint(value.utf8.count)
        self.bytes.append(contentsOf: value.utf8)
    }

    /// The number of bytes that a varint takes.
    package static func varintBytes(_ value: UInt64) -> Int {
        max(1, (64 - value.leadingZeroBitCount + 6) / 7)
    }
}
