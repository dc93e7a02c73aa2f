/// What the own name may not have in it, beside what would make it misleading (``NameLook``).
///
/// What others call themselves is shown with all of this made visible, and cannot be forbidden.
package enum OwnName {
    /// The first character that a name may not have, as people can look it up; nil where there is none.
    ///
    /// An `@` stands before a key; control characters and ends of lines are obeyed by terminals, and those of
    /// direction reorder what stands beside the name.
    package static func refusedCharacter(in name: String) -> String? {
        for scalar in name.unicodeScalars {
            switch scalar.value {
            case 0x40, 0xFF20, 0xFE6B: return "\"\(scalar)\""
            case 0x09: return "a tab"
            case 0x0A: return "a newline"
            case 0x1B: return "ESC (U+001B)"
            case 0x00...0x1F, 0x7F...0x9F, 0x2028, 0x2029:
                return "the control character \(Self.code(of: scalar))"
            case 0x061C, 0x200E, 0x200F, 0x202A...0x202E, 0x2066...0x2069:
                return "the direction control \(Self.code(of: scalar))"
            default: continue
            }
        }
        return nil
    }

    private static func code(of scalar: Unicode.Scalar) -> String {
        let digits = String(scalar.value, radix: 16, uppercase: true)
        return "U+" + String(repeating: "0", count: max(0, 4 - digits.count)) + digits
    }
}
