internal import Letters

/// Whether a text calls somebody by name: `@ada`, or `@Ada Lovelace`.
package enum Mention {
    /// Whether `@` and the name, or its first word, stand in a text, in upper or lower case, with no
    /// letter or digit around them.
    package static func isMade(of name: String, in text: String) -> Bool {
        guard Self.isPossible(in: text) else { return false }
        let whole = name.sought
        let first = whole.split(separator: " ").first.map { String($0) } ?? ""
        guard !first.isEmpty else { return false }
        let lowered = text.sought
        var isInWord = false
        for index in lowered.indices {
            let character = lowered[index]
            defer { isInWord = Self.isOfWord(character) }
            guard character == "@", !isInWord else { continue }
            let rest = lowered[lowered.index(after: index)...]
            for word in [whole, first] where rest.hasPrefix(word) {
                guard let next = rest.dropFirst(word.count).first else { return true }
                if !Self.isOfWord(next) { return true }
            }
        }
        return false
    }

    /// Whether there is an `@` in a text; in most there is none, and each message is looked at.
    package static func isPossible(in text: String) -> Bool {
        let bytes = text.utf8.span
        for index in bytes.indices where bytes[index] == UInt8(ascii: "@") { return true }
        return false
    }

    private static func isOfWord(_ character: Character) -> Bool {
        character.isLetter || character.isNumber || character == "_"
    }
}

/// Whom messages may call: by name, or by answering them.
package struct MentionedUser: Hashable, Sendable {
    /// What they are called now.
    package var name: String
    /// The device whose messages are theirs.
    package var device: PeerID
    /// Whose devices' messages they have written themselves.
    package var person: PersonID

    /// Names somebody.
    package init(name: String, device: PeerID, person: PersonID) {
        self.name = name
        self.device = device
        self.person = person
    }
}
