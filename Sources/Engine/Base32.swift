internal import Noise

/// Lower-case base32 without padding, the way keys and ids are shown.
///
/// RFC 4648 section 6.
public enum Base32 {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// The text of some bytes: eight characters for five bytes.
    public static func encode(_ bytes: [UInt8]) -> String {
        var text: [UInt8] = []
        text.reserveCapacity((bytes.count * 8 + 4) / 5)
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for byte in bytes {
            buffer = buffer << 8 | UInt32(byte)
            bits += 8
            while bits >= 5 {
                bits -= 5
                text.append(Self.character(buffer >> bits & 31))
            }
            buffer &= (1 << bits) - 1
        }
        if bits > 0 { text.append(Self.character(buffer << (5 - bits) & 31)) }
        return String(decoding: text, as: UTF8.self)
    }

    /// The character of the alphabet with a number; reckoned, since ids are what clients get most of.
    private static func character(_ value: UInt32) -> UInt8 {
        UInt8(truncatingIfNeeded: value < 26 ? 0x61 + value : 0x32 - 26 + value)
    }

    /// The bytes of a text in its one form; nil for other characters, lengths or stray last bits.
    public static func decode(_ text: String) -> [UInt8]? {
        var bytes: [UInt8] = []
        var buffer: UInt32 = 0
        var bits: UInt32 = 0
        for character in text.utf8 {
            guard let value = Self.alphabet.firstIndex(of: character) else { return nil }
            buffer = buffer << 5 | UInt32(value)
            bits += 5
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(buffer >> bits & 0xff))
            }
            buffer &= (1 << bits) - 1
        }
        return Self.encode(bytes) == text ? bytes : nil
    }
}

extension PeerID: CustomStringConvertible {
    /// The key in base32, 52 characters.
    public var description: String { Base32.encode(self.key.bytes) }

    /// The first eight characters, for logs and tables; not unique.
    public var shortText: String { String(self.description.prefix(8)) }

    /// Reads a key in base32; whether it is an acceptable point is not checked here.
    public init?(_ text: String) {
        guard let bytes = Base32.decode(text), let key = Bytes32(bytes) else { return nil }
        self.init(key)
    }
}

extension ConversationID: CustomStringConvertible {
    /// The id in base32, 52 characters.
    public var description: String { Base32.encode(self.hash.bytes) }

    /// Reads an id in base32.
    public init?(_ text: String) {
        guard let bytes = Base32.decode(text), let hash = Bytes32(bytes) else { return nil }
        self.init(hash)
    }
}

extension EntryID: CustomStringConvertible {
    /// The id in base32, 52 characters.
    public var description: String { Base32.encode(self.hash.bytes) }

    /// Reads an id in base32.
    public init?(_ text: String) {
        guard let bytes = Base32.decode(text), let hash = Bytes32(bytes) else { return nil }
        self.init(hash)
    }
}
