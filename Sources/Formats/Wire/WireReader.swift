package import Crypto

/// Reads fields in the wire's notation (`Docs/Protocol/Wire.md`) from bytes, refusing all that
/// ``WireWriter`` would not write.
///
/// Every read either returns a field and moves on, or throws and leaves the position where it was.
package struct WireReader: Sendable {
    private let bytes: [UInt8]
    /// Where the next field begins.
    package private(set) var position: Int
    private let end: Int

    /// Reads all of an array.
    package init(_ bytes: [UInt8]) {
        self.bytes = bytes
        self.position = 0
        self.end = bytes.count
    }

    /// Reads a part of an array.
    init(_ bytes: [UInt8], from position: Int, to end: Int) {
        self.bytes = bytes
        self.position = position
        self.end = end
    }

    /// The number of bytes not yet read.
    package var remaining: Int { self.end - self.position }

    package mutating func byte(_ field: StaticName) throws(WireError) -> UInt8 {
        guard self.remaining >= 1 else { throw .truncated(field: field) }
        defer { self.position += 1 }
        return self.bytes[self.position]
    }

    /// Reads a two-byte big-endian integer.
    package mutating func u16(_ field: StaticName) throws(WireError) -> UInt16 {
        guard self.remaining >= 2 else { throw .truncated(field: field) }
        defer { self.position += 2 }
        return UInt16(self.bytes[self.position]) << 8 | UInt16(self.bytes[self.position + 1])
    }

    /// Reads an eight-byte big-endian integer.
    package mutating func u64(_ field: StaticName) throws(WireError) -> UInt64 {
        guard self.remaining >= 8 else { throw .truncated(field: field) }
        var value: UInt64 = 0
        for index in self.position..<self.position + 8 {
            value = value << 8 | UInt64(self.bytes[index])
        }
        self.position += 8
        return value
    }

    /// Reads a shortest unsigned LEB128 integer of at most 64 bits.
    package mutating func varint(_ field: StaticName) throws(WireError) -> UInt64 {
        var value: UInt64 = 0
        var index = self.position
        for shift in stride(from: UInt64(0), through: 63, by: 7) {
            guard index < self.end else { throw .truncated(field: field) }
            let byte = self.bytes[index]
            index += 1
            if shift == 63 && byte > 1 { throw .varint(field: field) }
            value |= UInt64(byte & 0x7f) << shift
            if byte & 0x80 == 0 {
                #if MUTANTS
                    if Mutant.acceptLongVarints.isActive {
                        self.position = index
                        return value
                    }
                #endif
                if byte == 0 && shift > 0 { throw .varint(field: field) }
                self.position = index
                return value
            }
        }
        throw .varint(field: field)
    }

    /// Reads a varint that counts or measures and may not be above a limit.
    package mutating func count(_ field: StaticName, limit: Int) throws(WireError) -> Int {
        var ahead = self
        let value = try ahead.varint(field)
        guard value <= UInt64(limit) else { throw .limit(field: field, limit: limit, got: value) }
        self = ahead
        return Int(value)
    }

    /// Reads a fixed number of raw bytes.
    package mutating func raw(_ field: StaticName, count: Int) throws(WireError) -> [UInt8] {
        guard self.remaining >= count else { throw .truncated(field: field) }
        defer { self.position += count }
        return Array(self.bytes[self.position..<self.position + count])
    }

    /// Reads 32 raw bytes.
    package mutating func bytes32(_ field: StaticName) throws(WireError) -> Bytes32 {
        guard self.remaining >= 32,
            let value = Bytes32(self.bytes[self.position..<self.position + 32])
        else { throw .truncated(field: field) }
        self.position += 32
        return value
    }

    /// Reads 64 raw bytes.
    package mutating func bytes64(_ field: StaticName) throws(WireError) -> Bytes64 {
        guard self.remaining >= 64,
            let value = Bytes64(self.bytes[self.position..<self.position + 64])
        else { throw .truncated(field: field) }
        self.position += 64
        return value
    }

    /// Reads a length and that many bytes.
    package mutating func sized(_ field: StaticName, limit: Int) throws(WireError) -> [UInt8] {
        var ahead = self
        let count = try ahead.count(field, limit: limit)
        let value = try ahead.raw(field, count: count)
        self = ahead
        return value
    }

    /// Reads a length and that many bytes, and gives them behind others; the limit is for both together.
    mutating func sized(
        _ field: StaticName, after start: consuming [UInt8], limit: Int
    ) throws(WireError) -> [UInt8] {
        var ahead = self
        let count = try ahead.count(field, limit: limit - start.count)
        guard ahead.remaining >= count else { throw .truncated(field: field) }
        start += ahead.bytes[ahead.position..<ahead.position + count]
        ahead.position += count
        self = ahead
        return start
    }

    /// Reads a length and gives a reader over that many bytes.
    package mutating func nested(_ field: StaticName, limit: Int) throws(WireError) -> WireReader {
        var ahead = self
        let count = try ahead.count(field, limit: limit)
        guard ahead.remaining >= count else { throw .truncated(field: field) }
        let inner = WireReader(self.bytes, from: ahead.position, to: ahead.position + count)
        ahead.position += count
        self = ahead
        return inner
    }

    /// Reads a text of at most `limit` bytes of valid UTF-8.
    package mutating func text(_ field: StaticName, limit: Int) throws(WireError) -> String {
        var ahead = self
        let bytes = try ahead.sized(field, limit: limit)
        guard let text = String(utf8: bytes.span) else {
            throw .text(field: field)
        }
        self = ahead
        return text
    }

    /// Ends reading: throws if bytes are left.
    package func finish(_ field: StaticName) throws(WireError) {
        guard self.remaining == 0 else { throw .trailing(field: field, count: self.remaining) }
    }
}
