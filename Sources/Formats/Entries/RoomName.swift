/// The name of an open room: a bare word that everyone in its realm who knows it can join by.
///
/// `Docs/Protocol/Entries.md` section 1. However it is typed, it is one room.
package struct RoomName: Hashable, Comparable, Sendable {
    private let name: NameText

    private static let rule = NameText.Rule(
        characters: Limits.nameCharacters, bytes: Limits.nameBytes,
        // The last five are parts of words: Catalan, Hebrew, Tibetan, Japanese.
        punctuation: [
            "-", "_", ".", "\u{B7}", "\u{5F3}", "\u{5F4}", "\u{F0B}", "\u{30FB}",
        ])

    /// The name as people write it, and as it is sent.
    package var text: String { self.name.text }
    /// What its id is made of: the name without joiners.
    package var key: String { self.name.key }

    /// Accepts a name that is already in its one spelling, as it comes over the wire; nil for any other.
    package init?(_ text: String) {
        guard let name = NameText(text, by: Self.rule) else { return nil }
        self.name = name
    }

    /// Accepts what a person typed, in any spelling; a leading `#` is dropped.
    package init?(typed text: String) {
        let typed = text.hasPrefix("#") ? String(text.dropFirst()) : text
        guard let name = NameText(typed: typed, by: Self.rule) else { return nil }
        self.name = name
    }

    /// Takes a name from the own disk, also one that an earlier version did not fold.
    package init?(stored text: String) {
        guard let name = NameText(stored: text, by: Self.rule) else { return nil }
        self.name = name
    }

    /// Orders by UTF-8 bytes of the keys.
    package static func < (left: RoomName, right: RoomName) -> Bool { left.name < right.name }
}
