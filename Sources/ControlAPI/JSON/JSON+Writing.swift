extension JSON {
    /// The compact JSON text of this value as bytes of UTF-8, without a newline.
    package var bytes: [UInt8] {
        var output: [UInt8] = []
        self.write(into: &output)
        return output
    }

    /// The compact JSON text of this value.
    package var text: String { String(decoding: self.bytes, as: UTF8.self) }

    /// Appends the compact JSON text of this value.
    ///
    /// Members keep their order. Beside what RFC 8259 demands, every scalar that `TerminalText`
    /// makes visible is written as an escape: the text means the same, and printing it cannot
    /// steer a terminal. Traps on a number that is not finite, which no parser yields.
    package func write(into output: inout [UInt8]) {
        switch self {
        case .null: output.append(contentsOf: "null".utf8)
        case .bool(true): output.append(contentsOf: "true".utf8)
        case .bool(false): output.append(contentsOf: "false".utf8)
        case .integer(let value): output.append(contentsOf: String(value).utf8)
        case .number(let value):
            precondition(value.isFinite, "JSON has no infinities and no NaN")
            output.append(contentsOf: value.description.utf8)
        case .string(let value): Self.write(value, into: &output)
        case .array(let elements):
            output.append(UInt8(ascii: "["))
            var first = true
            for element in elements {
                if !first { output.append(UInt8(ascii: ",")) }
                first = false
                element.write(into: &output)
            }
            output.append(UInt8(ascii: "]"))
        case .object(let members):
            output.append(UInt8(ascii: "{"))
            var first = true
            for member in members {
                if !first { output.append(UInt8(ascii: ",")) }
                first = false
                Self.write(member.name, into: &output)
                output.append(UInt8(ascii: ":"))
                member.value.write(into: &output)
            }
            output.append(UInt8(ascii: "}"))
        case .written(let bytes): output.append(contentsOf: bytes)
        }
    }

    /// Appends a string as JSON, with its quotes.
    static func write(_ string: String, into output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        if Self.isPlain(string) {
            output.append(contentsOf: string.utf8)
        } else {
            for scalar in string.unicodeScalars { Self.write(scalar, into: &output) }
        }
        output.append(UInt8(ascii: "\""))
    }

    /// Whether no byte of the string can belong to something that is written as an escape.
    ///
    /// The lead bytes are those of all scalars that `TerminalText.isHidden` names; a lead byte is
    /// shared by harmless scalars too, which then only take the slower way.
    private static func isPlain(_ string: String) -> Bool {
        let bytes = string.utf8.span
        var start = 0
        // Eight at a time, as long as all are ASCII that is written as it is.
        while start + 8 <= bytes.count {
            guard Self.isPlain(bytes.bytes.word(at: start)) else { break }
            start += 8
        }
        for index in start..<bytes.count {
            switch bytes[index] {
            case 0..<0x20, UInt8(ascii: "\""), UInt8(ascii: "\\"), 0x7F, 0xC2, 0xCD, 0xD8, 0xE1,
                0xE2, 0xE3, 0xEF, 0xF3:
                return false
            default: continue
            }
        }
        return true
    }

    /// Whether eight bytes are all from 0x20 to 0x7E and neither quote nor backslash.
    static func isPlain(_ word: UInt64) -> Bool {
        let (ones, tops) = (UInt64.ones, UInt64.tops)
        // Below 0x80 in each byte, so no sum or difference reaches the next one.
        guard word & tops == 0 else { return false }
        // The top bit of a byte is set where it is 0x20 or more, and for the sum where it is 0x7F.
        let isPrintable = (word | tops) - 0x20 * ones
        let isDelete = word + ones
        let quote = ((word ^ (0x22 * ones)) | tops) - ones
        let backslash = ((word ^ (0x5C * ones)) | tops) - ones
        return isPrintable & ~isDelete & quote & backslash & tops == tops
    }

    private static func write(_ scalar: Unicode.Scalar, into output: inout [UInt8]) {
        switch scalar {
        case "\"": output.append(contentsOf: "\\\"".utf8)
        case "\\": output.append(contentsOf: "\\\\".utf8)
        case "\n": output.append(contentsOf: "\\n".utf8)
        case "\r": output.append(contentsOf: "\\r".utf8)
        case "\t": output.append(contentsOf: "\\t".utf8)
        default:
            if TerminalText.isHidden(scalar) {
                for unit in UTF16.encode(scalar) ?? UTF16.encodedReplacementCharacter {
                    output.append(contentsOf: "\\u".utf8)
                    for shift in stride(from: 12, through: 0, by: -4) {
                        let digit = UInt8(truncatingIfNeeded: unit >> UInt16(shift)) & 0xF
                        output.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
                    }
                }
            } else {
                output.append(
                    contentsOf: UTF8.encode(scalar) ?? UTF8.encodedReplacementCharacter)
            }
        }
    }
}

extension RawSpan {
    /// The eight bytes from an offset on, which must be there.
    func word(at offset: Int) -> UInt64 {
        // Any eight bytes are a number, and the load checks its bounds.
        self.unsafeLoadUnaligned(fromByteOffset: offset, as: UInt64.self)
    }
}

extension UInt64 {
    /// The lowest bit of each byte.
    fileprivate static var ones: UInt64 { 0x0101_0101_0101_0101 }

    /// The highest bit of each byte.
    fileprivate static var tops: UInt64 { 0x8080_8080_8080_8080 }

    /// Whether one of the eight bytes is this one.
    func hasByte(_ byte: UInt8) -> Bool {
        // Zero where the byte is; only a zero, or what lies above one, borrows into the top bit.
        let difference = self ^ (UInt64(byte) * Self.ones)
        return (difference &- Self.ones) & ~difference & Self.tops != 0
    }
}
