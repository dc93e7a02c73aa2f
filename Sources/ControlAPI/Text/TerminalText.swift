/// Makes text from others safe to print on a terminal.
///
/// Text travels and is stored as it was written; only what is shown to a person passes through
/// here. A scalar that a terminal obeys or that hides or reorders what follows is shown as a
/// visible form: control characters in caret notation (`^[` for escape), others as `<U+202E>`.
package enum TerminalText {
    /// Whether a terminal obeys this scalar, or it is invisible or reorders its neighbours.
    ///
    /// C0, DEL and C1 controls; bidirectional marks, embeddings, overrides and isolates (UAX 9);
    /// zero-width and default-ignorable characters used to disguise names; line and paragraph
    /// separators; tag characters; interlinear annotation. Not the zero-width joiner and
    /// non-joiner between letters or emoji: those depend on neighbours, see `sanitized`.
    package static func isHidden(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0x00...0x1F, 0x7F...0x9F: true
        case 0xAD, 0x034F, 0x061C, 0x115F, 0x1160, 0x17B4, 0x17B5, 0x180E: true
        case 0x200B, 0x200E, 0x200F, 0x2028...0x202E, 0x2060...0x206F: true
        case 0x3164, 0xFEFF, 0xFFA0, 0xFFF9...0xFFFB: true
        case 0xE0000...0xE007F: true
        default: false
        }
    }

    /// Whether there is nothing but white space in a text, or not even that.
    package static func isBlank(_ text: String) -> Bool {
        text.unicodeScalars.allSatisfy(\.properties.isWhitespace)
    }

    /// One line of text, with everything hidden made visible; a newline becomes `^J`.
    ///
    /// For names, status texts and all else that must not span lines.
    package static func line(_ text: String) -> String {
        Self.sanitized(text, newline: "^J")
    }

    /// Text of several lines: each line after the first starts with `indent`.
    ///
    /// The indent keeps a message from imitating the line of another message. `\r\n` counts as one
    /// newline; a carriage return alone is shown as `^M`. A tab becomes four spaces.
    package static func block(_ text: String, indent: String) -> String {
        Self.sanitized(text, newline: "\n" + indent)
    }

    /// A name or other text as one word of a command that people copy into a shell: in quotes where it
    /// needs them.
    ///
    /// The one place where printed commands get their names. What is hidden is shown as by ``line(_:)``,
    /// so that such a name does not come back as it was.
    package static func word(_ text: String) -> String {
        let line = Self.line(text)
        let isPlain = line.unicodeScalars.allSatisfy { scalar in
            scalar.isASCII ? Self.isPlain(scalar) : scalar.properties.isAlphabetic
        }
        if isPlain && !line.isEmpty { return line }
        var quoted = "'"
        for character in line { quoted += character == "'" ? #"'\''"# : String(character) }
        return quoted + "'"
    }

    /// Whether a shell takes an ASCII character as it stands, wherever in a word.
    private static func isPlain(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "A"..."Z", "0"..."9": true
        case "@", "%", "+", ":", ",", ".", "/", "-", "_": true
        default: false
        }
    }

    private static func sanitized(_ text: String, newline: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) { return text }
        var output = ""
        output.reserveCapacity(text.utf8.count)
        let scalars = Array(text.unicodeScalars)
        for (index, scalar) in scalars.enumerated() {
            switch scalar.value {
            case 0x0A:
                output += newline
            case 0x0D where index + 1 < scalars.count && scalars[index + 1] == "\n":
                continue
            case 0x09:
                output += "    "
            case 0x00...0x1F, 0x7F:
                output += "^"
                output.unicodeScalars.append(Unicode.Scalar(UInt8(scalar.value) ^ 0x40))
            case 0x200C, 0x200D:
                // Joiners are part of many scripts and emoji, and mean nothing beside ASCII, which
                // is what stands for a scalar that was made visible.
                if let last = output.unicodeScalars.last, !last.isASCII {
                    output.unicodeScalars.append(scalar)
                } else {
                    output += Self.code(scalar)
                }
            default:
                if Self.isHidden(scalar) {
                    output += Self.code(scalar)
                } else {
                    output.unicodeScalars.append(scalar)
                }
            }
        }
        return output
    }

    /// The visible form of a scalar, as `<U+202E>`.
    static func code(_ scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "<U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits + ">"
    }
}
