/// Bytes as JSON carries them: in base64 with padding, RFC 4648 section 4.
///
/// Written here, since FoundationEssentials would be linked into both programs for it alone.
package struct Base64: FieldValue {
    package var bytes: [UInt8]

    package init(_ bytes: [UInt8] = []) { self.bytes = bytes }

    private static let alphabet = Array(
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)
    private static let padding = UInt8(ascii: "=")
    /// The value of each letter; 255 for what is none.
    private static let values: [UInt8] = {
        var values = [UInt8](repeating: 255, count: 256)
        for (value, letter) in Self.alphabet.enumerated() { values[Int(letter)] = UInt8(value) }
        return values
    }()

    package var text: [UInt8] {
        var text: [UInt8] = []
        text.reserveCapacity((self.bytes.count + 2) / 3 * 4)
        var index = 0
        while index < self.bytes.count {
            let count = min(3, self.bytes.count - index)
            var group: UInt32 = 0
            for offset in 0..<3 {
                group = group << 8 | (offset < count ? UInt32(self.bytes[index + offset]) : 0)
            }
            for place in 0..<4 {
                let value = Int(group >> UInt32(18 - 6 * place) & 63)
                text.append(place <= count ? Self.alphabet[value] : Self.padding)
            }
            index += 3
        }
        return text
    }

    /// Reads a text in its one form; nil for any other.
    package init?(text: String) {
        var letters = Array(text.utf8)
        guard letters.count.isMultiple(of: 4) else { return nil }
        var padded = 0
        while padded < 2, letters.last == Self.padding {
            letters.removeLast()
            padded += 1
        }
        var bytes: [UInt8] = []
        bytes.reserveCapacity(letters.count * 3 / 4)
        var (group, bits): (UInt32, Int) = (0, 0)
        for letter in letters {
            let value = Self.values[Int(letter)]
            guard value < 64 else { return nil }
            group = group << 6 | UInt32(value)
            bits += 6
            if bits >= 8 {
                bits -= 8
                bytes.append(UInt8(truncatingIfNeeded: group >> UInt32(bits)))
                group &= 1 << UInt32(bits) - 1
            }
        }
        // What is left over is zero, so that each text stands for other bytes.
        guard group == 0, bits < 6 else { return nil }
        self.bytes = bytes
    }

    package static var schema: JSON { ["type": "string", "contentEncoding": "base64"] }
    package static var noun: String { "a string in base64" }
    /// Reads a string in base64.
    package init?(field json: JSON) {
        guard case .string(let text) = json else { return nil }
        self.init(text: text)
    }
    /// Appends the string, of which no letter needs escaping.
    package func write(into output: inout [UInt8]) {
        output.append(UInt8(ascii: "\""))
        output.append(contentsOf: self.text)
        output.append(UInt8(ascii: "\""))
    }
    /// Exactly as many as it takes.
    package var expectedBytes: Int { (self.bytes.count + 2) / 3 * 4 + 2 }
}
