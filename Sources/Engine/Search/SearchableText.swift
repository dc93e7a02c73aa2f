internal import Letters

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
        for scalar in text.composed.unicodeScalars {
            switch scalar.value {
            case 0x01, 0x02: output.append("\u{FFFD}")
            // The ligatures of printers, which FTS5 takes for letters of their own.
            case 0xFB00...0xFB06: output.append(contentsOf: String(scalar).folded.unicodeScalars)
            case _ where Self.isWord(scalar):
                output.append(Self.separator)
                output.append(scalar)
                output.append(Self.separator)
            default: output.append(scalar)
            }
        }
        return String(output)
    }

    /// A text without what marks a match.
    static func withoutMarks(_ text: String) -> String {
        guard text.utf8.contains(where: { $0 == 0x01 || $0 == 0x02 }) else { return text }
        return String(text.map { $0 == Self.matchStart || $0 == Self.matchEnd ? "\u{FFFD}" : $0 })
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
    /// address, must stand so; a word that ends with `*` may go on, and so may the last one.
    package static func expression(_ typed: String) -> String? {
        let parts = Self.parts(ofTyped: typed)
        guard !parts.isEmpty else { return nil }
        return parts.enumerated().map { index, part in
            // A single letter would be the beginning of a good part of all words.
            let mayGoOn = !part.isQuoted && index == parts.count - 1 && part.text.count > 1
            return Self.term(part.text, isPrefix: part.isBeginning || mayGoOn)
        }.joined(separator: " AND ")
    }

    /// What must be somewhere in a text that is read as a whole, as ``Letters/String/unaccented``.
    package static func sought(_ typed: String) -> [String] {
        Self.parts(ofTyped: typed).map { part in
            let text = part.isBeginning ? String(part.text.dropLast()) : part.text
            return text.unaccented
        }
    }

    /// What a person typed, word by word.
    private struct TypedPart {
        var text: String
        var isQuoted = false
        var isBeginning: Bool { !self.isQuoted && self.text.last == "*" }
    }

    private static func parts(ofTyped typed: String) -> [TypedPart] {
        var parts: [TypedPart] = []
        let halves = typed.split(separator: "\"", omittingEmptySubsequences: false)
        for (index, half) in halves.enumerated() {
            if index.isMultiple(of: 2) {
                parts += half.split(whereSeparator: \.isWhitespace).map {
                    TypedPart(text: String($0))
                }
            } else {
                parts.append(TypedPart(text: String(half), isQuoted: true))
            }
        }
        return parts.filter { part in
            part.text.unicodeScalars.contains { scalar in
                scalar.properties.isAlphabetic || scalar.properties.numericType != nil
                    || Self.isWord(scalar)
            }
        }
    }

    private static func term(_ text: String, isPrefix: Bool) -> String {
        let spellings = Self.spellings(String(text.unicodeScalars.filter { $0.value != 0 }))
        let terms = spellings.map { "\"\(Self.indexed($0))\"" + (isPrefix ? "*" : "") }
        return terms.count == 1 ? terms[0] : "(\(terms.joined(separator: " OR ")))"
    }

    /// A text with `ss` and with `ß` in each place where either may be meant: FTS5 folds one letter to one.
    private static func spellings(_ text: String) -> [String] {
        let folded = text.replacing("ß", with: "ss").replacing("ẞ", with: "ss")
        guard folded.utf8.count > 1, folded.lowercased().contains("ss") else { return [text] }
        var spellings = [""]
        var rest = Array(folded)[...]
        while let first = rest.popFirst() {
            let isPair =
                rest.first.map { $0 == "s" || $0 == "S" } == true && (first == "s" || first == "S")
            guard isPair, let second = rest.first else {
                spellings = spellings.map { $0 + String(first) }
                continue
            }
            rest.removeFirst()
            let pair = String([first, second])
            let isCrowd = spellings.count >= Self.spellingsLimit
            spellings = spellings.map { $0 + pair } + (isCrowd ? [] : spellings.map { $0 + "ß" })
        }
        return spellings
    }

    /// Of how many places with `ss` each is tried in both ways, as a power of two.
    private static let spellingsLimit = 8

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
