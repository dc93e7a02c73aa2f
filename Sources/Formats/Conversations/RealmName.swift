/// What a realm is called on this machine, as in `office/ops`; others may call it otherwise.
///
/// One to 32 letters from a to z, digits and hyphens, no hyphen first: it is the name of a file, too.
package struct RealmName: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The name as people write it.
    package let text: String

    /// What the open realm is called everywhere.
    package static let open = RealmName(known: "open")

    /// Accepts a name in its one spelling; nil for any other.
    package init?(_ text: String) {
        let bytes = text.utf8
        guard (1...Limits.realmNameBytes).contains(bytes.count), bytes.allSatisfy(Self.isAllowed),
            bytes.first != UInt8(ascii: "-")
        else { return nil }
        self.text = text
    }

    private init(known text: String) { self.text = text }

    package var description: String { self.text }

    package static func < (left: RealmName, right: RealmName) -> Bool {
        left.text.utf8.lexicographicallyPrecedes(right.text.utf8)
    }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
            UInt8(ascii: "-"):
            true
        default: false
        }
    }
}
