/// Names in a line, of which all bytes but letters and digits of ASCII and `-_.` are written as `%C3`.
extension InvitationLine {
    mutating func add(_ key: String, escaping name: String) { self.add(key, Self.escaped(name)) }

    fileprivate static func escaped(_ name: String) -> String {
        var text = ""
        for byte in name.utf8 {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
                UInt8(ascii: "-"), UInt8(ascii: "_"), UInt8(ascii: "."):
                text.unicodeScalars.append(Unicode.Scalar(byte))
            default:
                let digits = String(byte, radix: 16, uppercase: true)
                text += "%" + (digits.count == 1 ? "0" : "") + digits
            }
        }
        return text
    }
}

extension InvitationParts {
    /// Takes a part that is written so, and in no other way.
    mutating func text(_ key: String) throws(InvitationError) -> String {
        let escaped = try self.take(key)
        guard let plain = Self.unescaped(escaped), InvitationLine.escaped(plain) == escaped else {
            throw .value(key)
        }
        return plain
    }

    private static func unescaped(_ text: String) -> String? {
        var bytes: [UInt8] = []
        var rest = Array(text.utf8)[...]
        while let byte = rest.popFirst() {
            guard byte == UInt8(ascii: "%") else {
                bytes.append(byte)
                continue
            }
            let digits = rest.prefix(2)
            guard digits.count == 2,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else { return nil }
            bytes.append(value)
            rest = rest.dropFirst(2)
        }
        return String(validating: bytes, as: UTF8.self)
    }
}
