/// The name of an open room: a bare word that everyone in its realm who knows it can join by.
///
/// `Docs/Protocol/Entries.md` section 1. Only letters without a capital, digits and `-_.` are let in, so
/// that a name has one spelling and needs no quoting in a shell.
package struct RoomName: Hashable, Comparable, Sendable {
    /// The name as people write it.
    package let text: String

    /// Accepts a name that is already in its one spelling, as it comes over the wire; nil for any other.
    package init?(_ text: String) {
        let scalars = text.unicodeScalars
        guard (1...Limits.nameBytes).contains(text.utf8.count), let first = scalars.first,
            !Self.isPunctuation(first), scalars.allSatisfy(Self.isAllowed)
        else { return nil }
        self.text = text
    }

    /// Accepts what a person typed: a leading `#` is dropped and capitals are made small first.
    package init?(typed text: String) {
        self.init((text.hasPrefix("#") ? String(text.dropFirst()) : text).lowercased())
    }

    /// Orders by UTF-8 bytes, as announcements do.
    package static func < (left: RoomName, right: RoomName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    /// Equal names have equal bytes; `String` would also take canonically equivalent ones for equal.
    package static func == (left: RoomName, right: RoomName) -> Bool {
        let (one, other) = (left.text.utf8.span, right.text.utf8.span)
        return one.count == other.count && one.indices.allSatisfy { one[$0] == other[$0] }
    }

    /// Hashes the text, which is the same where the bytes are.
    package func hash(into hasher: inout Hasher) { hasher.combine(self.text) }

    private static func isPunctuation(_ scalar: Unicode.Scalar) -> Bool {
        scalar == "-" || scalar == "_" || scalar == "."
    }

    private static func isAllowed(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar {
        case "a"..."z", "0"..."9", "-", "_", ".": return true
        default: break
        }
        switch scalar.properties.generalCategory {
        case .lowercaseLetter, .otherLetter, .decimalNumber: return true
        default: return false
        }
    }
}
