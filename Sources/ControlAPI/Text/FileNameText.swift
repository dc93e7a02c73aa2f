/// A file's name in two parts: the stem, and the ending that tells programs how to open it.
package struct FileNameText: Equatable, Sendable {
    /// All before the ending.
    package let stem: String
    /// From its first point on, as in `.pdf` and `.tar.gz`; empty where there is none.
    package let ending: String

    /// No program knows a longer ending.
    private static let endingCharacters = 16
    /// Endings that follow another one, because they only say how the content is packed or signed.
    private static let wrappers: Set<String> = [
        "asc", "br", "bz2", "gpg", "gz", "lz", "lz4", "lzma", "sig", "xz", "z", "zst",
    ]

    package init(_ name: String) {
        var stem = name[...]
        var isWrapped = true
        while isWrapped, let point = stem.lastIndex(of: "."), point > stem.startIndex {
            let word = stem[stem.index(after: point)...]
            guard (1...Self.endingCharacters).contains(word.count),
                word.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "+" })
            else { break }
            // A second number is a part of the name: report-1.2.gz.
            if stem.endIndex < name.endIndex, word.allSatisfy(\.isNumber) { break }
            stem = stem[..<point]
            isWrapped = Self.wrappers.contains(word.lowercased())
        }
        self.stem = String(stem)
        self.ending = String(name[stem.endIndex...])
    }

    /// The name in at most so many bytes: the stem is shortened between characters.
    package func fitted(_ bytes: Int) -> String {
        var stem = self.stem[...]
        while stem.utf8.count + self.ending.utf8.count > bytes, stem.count > 1 { stem.removeLast() }
        var whole = stem + self.ending
        // A name of marks alone is one character of any length.
        while whole.utf8.count > bytes, !whole.isEmpty { whole.unicodeScalars.removeLast() }
        return String(whole)
    }

    /// The name of another file with the same one: `a (1).tar.gz`.
    package func numbered(_ number: Int) -> String { "\(self.stem) (\(number))\(self.ending)" }
}
