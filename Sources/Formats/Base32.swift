internal import Crypto

/// Lower-case base32 without padding, the way keys and ids are shown.
///
/// RFC 4648 section 6.
package enum Base32 {
    /// The text of some bytes: eight characters for five bytes.
    package static func encode(_ bytes: [UInt8]) -> String { Self.encode(bytes.span.bytes) }

    /// The text of some bytes, eight characters at once, since ids are what clients get most of.
    static func encode(_ bytes: RawSpan) -> String {
        let count = (bytes.byteCount * 8 + 4) / 5
        let groups = (bytes.byteCount + 4) / 5
        return String(unsafeUninitializedCapacity: groups * 8) { text in
            for group in 0..<groups {
                var bits: UInt64 = 0
                for offset in group * 5..<group * 5 + 5 {
                    // The last group is filled with zeros; what stands for them only is not kept.
                    let isHere = offset < bytes.byteCount
                    let byte = isHere ? bytes.unsafeLoad(fromByteOffset: offset, as: UInt8.self) : 0
                    bits = bits << 8 | UInt64(byte)
                }
                let characters = Self.characters(bits)
                for index in 0..<8 {
                    let character = characters &>> UInt64(56 - 8 * index)
                    text[group * 8 + index] = UInt8(truncatingIfNeeded: character)
                }
            }
            return count
        }
    }

    /// Eight characters, one in each byte, for the lower forty bits.
    private static func characters(_ bits: UInt64) -> UInt64 {
        let ones: UInt64 = 0x0101_0101_0101_0101
        // Halves are moved apart until five bits stand in each byte.
        var values = (bits & 0xF_FFFF << 20) << 12 | bits & 0xF_FFFF
        values = (values & 0x000F_FC00_000F_FC00) << 6 | values & 0x0000_03FF_0000_03FF
        values = (values & 0x03E0_03E0_03E0_03E0) << 3 | values & 0x001F_001F_001F_001F
        // From 26 on the top bit of the sum is set; there `z` is followed by `2`.
        let digits = (values + (0x80 - 26) * ones) >> 7 & ones
        return values + 0x61 * ones - digits * (0x7B - 0x32)
    }

    /// The bytes of a text in its one form; nil for other characters, lengths or stray last bits.
    package static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for character in text.utf8 {
            guard let value = Self.value(character) else { return nil }
            buffer = buffer << 5 | value
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(buffer >> bits & 0xff))
            }
            buffer &= (1 << bits) - 1
        }
        return Self.encode(bytes) == text ? bytes : nil
    }

    fileprivate static func value(_ character: UInt8) -> UInt32? {
        switch character {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): UInt32(character - UInt8(ascii: "a"))
        case UInt8(ascii: "2")...UInt8(ascii: "7"): UInt32(character - UInt8(ascii: "2") + 26)
        default: nil
        }
    }
}

extension Bytes32 {
    /// The bytes in base32, 52 characters.
    fileprivate var base32: String { self.withBytes(Base32.encode) }

    /// Reads exactly 32 bytes in base32.
    fileprivate init?(base32 text: String) {
        // Most of what is tried is the name of a room.
        guard text.utf8.count == 52, let bytes = Base32.decode(text) else { return nil }
        self.init(bytes)
    }
}

extension PeerID: CustomStringConvertible {
    /// The key in base32, 52 characters.
    package var description: String { self.key.base32 }

    /// The first eight characters, for logs and tables; not unique.
    package var shortText: String { String(self.description.prefix(8)) }

    /// Reads a key in base32; whether it is an acceptable point is not checked here.
    package init?(_ text: String) {
        guard let key = Bytes32(base32: text) else { return nil }
        self.init(key)
    }
}

extension PersonID: CustomStringConvertible {
    /// The id in base32, 52 characters.
    package var description: String { self.hash.base32 }

    /// Reads an id in base32.
    package init?(_ text: String) {
        guard let hash = Bytes32(base32: text) else { return nil }
        self.init(hash)
    }
}

extension RealmID: CustomStringConvertible {
    /// The id in base32, 52 characters.
    package var description: String { self.hash.base32 }

    /// Reads an id in base32.
    package init?(_ text: String) {
        guard let hash = Bytes32(base32: text) else { return nil }
        self.init(hash)
    }
}

extension ConversationID: CustomStringConvertible {
    /// The id in base32, 52 characters.
    package var description: String { self.hash.base32 }

    /// Reads an id in base32.
    package init?(_ text: String) {
        guard let hash = Bytes32(base32: text) else { return nil }
        self.init(hash)
    }
}

/// The beginning of an entry's id as people type it, of so many characters that few share it.
package struct EntryIDPrefix: Hashable, Sendable {
    /// The fewest characters: 40 bits.
    package static let leastCharacters = 8
    /// The most that ``range`` can tell apart: 60 bits.
    private static let rangeCharacters = 12

    /// What was typed.
    package let text: String
    /// What the first eight bytes of such an id can be, big-endian.
    package let range: ClosedRange<UInt64>

    /// Reads at least eight characters of base32; nil for anything else.
    package init?(_ text: String) {
        guard (Self.leastCharacters...52).contains(text.utf8.count) else { return nil }
        var bits: UInt64 = 0
        for (index, character) in text.utf8.enumerated() {
            guard let digit = Base32.value(character) else { return nil }
            if index < Self.rangeCharacters { bits = bits << 5 | UInt64(digit) }
        }
        let rest = 64 - 5 * UInt64(min(text.utf8.count, Self.rangeCharacters))
        self.text = text
        self.range = bits << rest...(bits << rest | ((1 << rest) - 1))
    }

    /// Whether an id begins so.
    package func begins(_ id: EntryID) -> Bool { id.description.hasPrefix(self.text) }
}

extension EntryID: CustomStringConvertible {
    /// The id in base32, 52 characters.
    package var description: String { self.hash.base32 }

    /// Reads an id in base32.
    package init?(_ text: String) {
        guard let hash = Bytes32(base32: text) else { return nil }
        self.init(hash)
    }
}
