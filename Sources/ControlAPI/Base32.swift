/// Lower-case base32 without padding, RFC 4648 section 6 with the alphabet `a`–`z`, `2`–`7`.
///
/// Identifiers of 32 bytes are 52 characters.
public enum Base32 {
    private static let alphabet = Array("abcdefghijklmnopqrstuvwxyz234567".utf8)

    /// Encodes bytes of any number.
    public static func encode(_ bytes: Span<UInt8>) -> String {
        var output: [UInt8] = []
        output.reserveCapacity((bytes.count * 8 + 4) / 5)
        var pending: UInt32 = 0
        var bits = 0
        for index in bytes.indices {
            pending = pending << 8 | UInt32(bytes[index])
            bits += 8
            while bits >= 5 {
                bits -= 5
                output.append(Self.alphabet[Int(pending >> UInt32(bits)) & 31])
            }
            pending &= 0xFF
        }
        if bits > 0 { output.append(Self.alphabet[Int(pending << UInt32(5 - bits)) & 31]) }
        return String(decoding: output, as: UTF8.self)
    }

    /// Encodes bytes of any number.
    public static func encode(_ bytes: [UInt8]) -> String { Self.encode(bytes.span) }

    /// The bytes that `encode` turns into exactly this text, or nil when there are none.
    ///
    /// Upper case, padding, impossible lengths and bits left over that are not zero give nil, so
    /// every value has one spelling only.
    public static func decode(_ text: String) -> [UInt8]? {
        var output: [UInt8] = []
        output.reserveCapacity(text.utf8.count * 5 / 8)
        var pending: UInt32 = 0
        var bits = 0
        for byte in text.utf8 {
            let digit: UInt32
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"): digit = UInt32(byte - UInt8(ascii: "a"))
            case UInt8(ascii: "2")...UInt8(ascii: "7"): digit = UInt32(byte - 0x32 + 26)
            default: return nil
            }
            pending = pending << 5 | digit
            bits += 5
            if bits >= 8 {
                bits -= 8
                output.append(UInt8(truncatingIfNeeded: pending >> UInt32(bits)))
                pending &= 1 << UInt32(bits) - 1
            }
        }
        return bits < 5 && pending == 0 ? output : nil
    }
}
