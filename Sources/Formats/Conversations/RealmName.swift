/// What a realm is called on this machine, as in `office/ops`; others may call it otherwise.
///
/// As the name of a room, but shorter and with hyphens alone: it is the name of a file, too.
package struct RealmName: Hashable, Comparable, Sendable, CustomStringConvertible {
    private let name: NameText

    private static let rule = NameText.Rule(
        characters: Limits.realmNameCharacters, bytes: 4 * Limits.realmNameCharacters,
        punctuation: ["-"])

    /// What the open realm is called everywhere.
    package static let open: RealmName = {
        guard let name = RealmName("open") else { preconditionFailure("open names a realm") }
        return name
    }()

    /// The name as people write it.
    package var text: String { self.name.text }

    /// Accepts a name in its one spelling; nil for any other.
    package init?(_ text: String) {
        guard let name = NameText(text, by: Self.rule) else { return nil }
        self.name = name
    }

    /// Accepts what a person typed, in any spelling.
    package init?(typed text: String) {
        guard let name = NameText(typed: text, by: Self.rule) else { return nil }
        self.name = name
    }

    package var description: String { self.text }

    package static func < (left: RealmName, right: RealmName) -> Bool { left.name < right.name }
}
