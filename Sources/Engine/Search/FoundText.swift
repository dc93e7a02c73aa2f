internal import Letters

/// A text that has in it what is sought, at any place: where there is no index, each text is read anyway.
package enum FoundText {
    /// How many characters an excerpt has before its first match, and how many in all.
    private static let before = 40
    private static let whole = 160

    /// A part of a text with all of ``SearchableText/sought(_:)`` in it, marked as FTS5 marks it; nil where
    /// something is not there.
    package static func excerpt(of text: String, sought: [String]) -> String? {
        let bare = Array(text.unaccented.utf8)
        guard !sought.isEmpty, sought.allSatisfy({ Self.contains(bare, Array($0.utf8)) }) else {
            return nil
        }
        let characters = Array(SearchableText.withoutMarks(text))
        let matches = Self.matches(in: characters, sought)
        guard let first = matches.firstIndex(of: true) else { return nil }
        let start = first <= Self.before ? 0 : first - Self.before
        let end = min(characters.count, start + Self.whole)
        var excerpt = start > 0 ? "…" : ""
        for place in start..<end {
            let isMatch = matches[place]
            if isMatch, place == start || !matches[place - 1] {
                excerpt.append(SearchableText.matchStart)
            }
            excerpt.append(characters[place])
            if isMatch, place + 1 == end || !matches[place + 1] {
                excerpt.append(SearchableText.matchEnd)
            }
        }
        return excerpt + (end < characters.count ? "…" : "")
    }

    /// Which characters belong to what is sought.
    private static func matches(in characters: [Character], _ sought: [String]) -> [Bool] {
        var scalars: [Unicode.Scalar] = []
        var owners: [Int] = []
        for (place, character) in characters.enumerated() {
            for scalar in String(character).unaccented.unicodeScalars {
                scalars.append(scalar)
                owners.append(place)
            }
        }
        var matches = [Bool](repeating: false, count: characters.count)
        for word in sought {
            let word = Array(word.unicodeScalars)
            var place = 0
            while place + word.count <= scalars.count {
                if scalars[place...].starts(with: word) {
                    for index in place..<place + word.count { matches[owners[index]] = true }
                    place += max(1, word.count)
                } else {
                    place += 1
                }
            }
        }
        return matches
    }

    private static func contains(_ bytes: [UInt8], _ word: [UInt8]) -> Bool {
        guard let first = word.first, bytes.count >= word.count else { return false }
        return (0...bytes.count - word.count).contains { place in
            bytes[place] == first && bytes[place...].starts(with: word)
        }
    }
}
