import ControlAPI

/// Breaks lines as wide as a terminal by itself, with an indent: what a terminal breaks goes on at its left
/// edge, where blanks in a text could make a forged line of the rest.
enum LineWrap {
    /// A character, or what only says how the next ones look.
    private struct Piece {
        var text: Substring
        var columns: Int
        var isBlank: Bool { self.text == " " }
    }

    /// Lines of safe text, of which none is longer than so many cells; nil for as long as they are.
    ///
    /// - Parameter indent: how many blanks stand before what goes on, unless that were a third of the line.
    static func text(_ text: String, columns: Int?, indent: Int) -> String {
        guard let columns else { return text }
        let indent = max(0, min(indent, columns / 3))
        return text.split(separator: "\n", omittingEmptySubsequences: false)
            .map { self.line($0, columns: max(1, columns), indent: indent) }.joined(separator: "\n")
    }

    /// Cuts words that are longer than so many cells.
    static func parts(of word: String, columns: Int) -> [String] {
        self.line(word[...], columns: max(1, columns), indent: 0).split(separator: "\n")
            .map(String.init)
    }

    private static func line(_ line: Substring, columns: Int, indent: Int) -> String {
        // No byte takes more than a cell, but what only says how text looks.
        guard line.utf8.count > columns || line.utf8.contains(where: { $0 >= 0x80 }) else {
            return String(line)
        }
        let pieces = self.pieces(of: line)
        var lines: [String] = []
        var start = 0
        while start < pieces.count || lines.isEmpty {
            let room = columns - (lines.isEmpty ? 0 : indent)
            var (end, used, blank) = (start, 0, -1)
            while end < pieces.count, used + pieces[end].columns <= room {
                used += pieces[end].columns
                if pieces[end].isBlank { blank = end }
                end += 1
            }
            var next = end
            if end < pieces.count {
                // Where nothing but blanks was before it, nothing is won by breaking there.
                if let first = pieces[start..<end].firstIndex(where: { !$0.isBlank }), blank > first
                {
                    (end, next) = (blank, blank + 1)
                } else if end == start {
                    // Too wide for any line.
                    (end, next) = (start + 1, start + 1)
                }
            }
            let text = pieces[start..<end].map(\.text).joined()
            lines.append(lines.isEmpty ? text : String(repeating: " ", count: indent) + text)
            start = next
        }
        return lines.joined(separator: "\n")
    }

    private static func pieces(of line: Substring) -> [Piece] {
        var pieces: [Piece] = []
        var rest = line
        while let first = rest.first {
            // By scalars: a mark at the beginning of the text joins the letter that ends a style.
            let scalars = rest.unicodeScalars
            let isStyle = first == "\u{1B}"
            let end =
                isStyle
                ? scalars.firstIndex(of: "m").map(scalars.index(after:)) ?? rest.endIndex
                : rest.index(after: rest.startIndex)
            let text = rest[..<end]
            pieces.append(Piece(text: text, columns: isStyle ? 0 : self.columns(of: text)))
            rest = rest[end...]
        }
        return pieces
    }

    /// The most cells that a terminal may take for a character: they differ in emoji, and one cell more
    /// would bring the end of the line to the left edge.
    private static func columns(of character: Substring) -> Int {
        character.unicodeScalars.reduce(0) { sum, scalar in
            let isEmoji = (0x1F000..<0x20000).contains(scalar.value)
            return sum + (scalar.value == 0xFE0F ? 1 : isEmoji ? 2 : CellWidth.of(scalar))
        }
    }
}
