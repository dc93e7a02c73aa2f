/// How many cells of a terminal characters take.
///
/// What a terminal does with a character is its own affair; this is what wcwidth(3) of Glibc says,
/// and what most of them do.
package enum CellWidth {
    /// The cells of one scalar: none for marks, two for East Asian wide characters and emoji.
    package static func of(_ scalar: Unicode.Scalar) -> Int {
        if scalar.value < 0x300 { return 1 }
        // Vowels and final consonants of Hangul join the syllable before them.
        if (0x1160...0x11FF).contains(scalar.value) { return 0 }
        switch scalar.properties.generalCategory {
        case .nonspacingMark, .enclosingMark, .format: return 0
        default: return Self.isWide(scalar.value) ? 2 : 1
        }
    }

    /// The cells of a text that is safe to print.
    package static func of(_ text: String) -> Int {
        if text.utf8.allSatisfy({ $0 < 0x80 }) { return text.utf8.count }
        return text.unicodeScalars.reduce(0) { $0 + Self.of($1) }
    }

    private static func isWide(_ value: UInt32) -> Bool {
        guard value >= 0x1100 else { return false }
        // The first run that does not end before the value.
        var (low, high) = (0, WideCharacters.runs.count / 2)
        while low < high {
            let middle = (low + high) / 2
            if WideCharacters.runs[2 * middle + 1] < value {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low < WideCharacters.runs.count / 2 && WideCharacters.runs[2 * low] <= value
    }
}
