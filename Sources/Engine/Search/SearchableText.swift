/// How texts and what people look for become words: pure, so that both sides agree.
///
/// The words themselves are made by SQLite's FTS5 with `unicode61`, which takes letters, digits and
/// symbols, and folds upper and lower case and accents. What it does not know stands here: scripts that
/// are written without spaces, and emoji, each of whose characters counts as a word.
/// <https://www.sqlite.org/fts5.html#unicode61_tokenizer>
package enum SearchableText {
    /// The tokenizer for which the texts are made.
    package static let tokenizer = "unicode61 remove_diacritics 2 categories 'L* N* Co So Sk'"
    /// Stands around what counts as a word by itself; invisible, and no part of a word.
    private static let separator: Unicode.Scalar = "\u{2063}"
    /// What stands before and behind a match in an excerpt; no text that is indexed has them.
    package static let matchStart: Character = "\u{1}"
    /// See ``matchStart``.
    package static let matchEnd: Character = "\u{2}"

    package static func indexed(_ text: String) -> String {
        if text.utf8.allSatisfy({ (0x20..<0x80).contains($0) || $0 == 0x0A }) { return text }
        var output = String.UnicodeScalarView()
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x01, 0x02: output.append("\u{FFFD}")
            case _ where Self.isWord(scalar):
                output.append(Self.separator)
                output.append(scalar)
                output.append(Self.separator)
            default: output.append(scalar)
            }
        }
        return String(output)
    }

    /// Whether a character counts as a word by itself.
    private static func isWord(_ scalar: Unicode.Scalar) -> Bool {
        switch scalar.value {
        case 0..<0xA9: false
        // Thai, Lao, Myanmar, Khmer.
        case 0x0E00...0x0EFF, 0x1000...0x109F, 0x1780...0x17FF: true
        // Han, kana and what goes with them.
        case 0x2E80...0x312F, 0x31A0...0x31FF, 0x3400...0x9FFF, 0xF900...0xFAFF,
            0xFF66...0xFF9F, 0x20000...0x3FFFF:
            true
        case 0x1F3FB...0x1F3FF: true
        default: scalar.properties.generalCategory == .otherSymbol
        }
    }

    /// The expression of FTS5 for what a person types, or nil where there is no word in it.
    ///
    /// All words must be there. What is in quotes, and what has no space within, such as a path or an
    /// address, must stand so; a word that ends with `*` may go on.
    package static func expression(_ typed: String) -> String? {
        var terms: [String] = []
        for (index, part) in typed.split(separator: "\"", omittingEmptySubsequences: false)
            .enumerated()
        {
            if !index.isMultiple(of: 2) {
                terms.append(Self.term(String(part), isPrefix: false) ?? "")
                continue
            }
            for word in part.split(whereSeparator: \.isWhitespace) {
                let isPrefix = word.last == "*"
                terms.append(Self.term(String(word), isPrefix: isPrefix) ?? "")
            }
        }
        terms.removeAll(where: \.isEmpty)
        return terms.isEmpty ? nil : terms.joined(separator: " AND ")
    }

    private static func term(_ text: String, isPrefix: Bool) -> String? {
        let hasWord = text.unicodeScalars.contains { scalar in
            scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                || Self.isWord(scalar)
        }
        guard hasWord else { return nil }
        let safe = Self.indexed(String(text.unicodeScalars.filter { $0.value != 0 }))
        return "\"\(safe)\"" + (isPrefix ? "*" : "")
    }

    /// A part of an excerpt.
    package struct Part: Hashable, Sendable {
        package var text: String
        /// Whether it is what was looked for.
        package var isMatch: Bool
    }

    /// The parts of an excerpt of an indexed text, as people are to see it.
    package static func parts(ofExcerpt excerpt: String) -> [Part] {
        var parts: [Part] = []
        var current = Part(text: "", isMatch: false)
        func close(_ isMatch: Bool) {
            if !current.text.isEmpty { parts.append(current) }
            current = Part(text: "", isMatch: isMatch)
        }
        for scalar in excerpt.unicodeScalars where scalar != Self.separator {
            switch Character(scalar) {
            case Self.matchStart: close(true)
            case Self.matchEnd: close(false)
            default: current.text.unicodeScalars.append(scalar)
            }
        }
        close(false)
        // Neighbours that both match are one.
        var merged: [Part] = []
        for part in parts {
            if let last = merged.last, last.isMatch == part.isMatch {
                merged[merged.count - 1].text += part.text
            } else {
                merged.append(part)
            }
        }
        return merged
    }
}
