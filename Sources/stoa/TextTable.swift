import ControlAPI

/// Lays out rows in aligned columns, part by part: a column is as wide as in the parts before, or wider.
///
/// On a terminal a row that does not fit goes on in the next line, indented, and what has many words goes
/// on under its own beginning. For programs each row is one line.
struct TextTable {
    private var widths: [Int] = []
    private let heading: [String]
    /// How many cells there are; nil for as many as it takes.
    private let columns: Int?
    /// Whether no row has come yet.
    private(set) var isEmpty = true

    /// How far what goes on in the next line is moved in, in cells.
    private static let indent = 4
    /// In how few cells words can still be read.
    private static let narrowest = 20

    /// A table whose heading is printed with its first rows.
    init(heading: [String], columns: Int? = nil) {
        self.heading = heading
        self.columns = columns
    }

    /// Further rows as lines, columns two spaces apart, no blanks at the end of a line; nothing for none.
    ///
    /// The cells must be safe to print already and hold no newline.
    mutating func add(_ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "" }
        defer { self.isEmpty = false }
        return self.lay(self.isEmpty && !self.heading.isEmpty ? [self.heading] + rows : rows)
    }

    /// Rows as lines, without a heading.
    static func text(_ rows: [[String]], columns: Int? = nil) -> String {
        var table = TextTable(heading: [], columns: columns)
        return table.add(rows)
    }

    private mutating func lay(_ rows: [[String]]) -> String {
        for row in rows {
            for (column, cell) in row.enumerated() {
                let width = Self.width(cell)
                if column == self.widths.count {
                    self.widths.append(width)
                } else {
                    self.widths[column] = max(self.widths[column], width)
                }
            }
        }
        let places = self.places()
        return rows.map { self.text($0, places) }.joined()
    }

    /// In which line of a row each column stands, and behind how many cells.
    private func places() -> [(line: Int, start: Int)] {
        var places: [(line: Int, start: Int)] = []
        var (line, start) = (0, 0)
        for (column, width) in self.widths.enumerated() {
            if let columns = self.columns, start > Self.indent, start + width > columns {
                // Of the last column the words may go on under their beginning.
                let isLast = column == self.widths.count - 1
                if !isLast || columns - start < min(Self.narrowest, width) {
                    (line, start) = (line + 1, Self.indent)
                }
            }
            places.append((line, start))
            start += width + 2
        }
        return places
    }

    private func text(_ row: [String], _ places: [(line: Int, start: Int)]) -> String {
        var text = ""
        var (line, used) = (0, 0)
        for (column, cell) in row.enumerated() where !cell.isEmpty || column == 0 {
            let place = places[column]
            // A line without cells is left out.
            if place.line > line, !text.isEmpty, used > 0 { text += "\n" }
            if place.line > line { used = 0 }
            line = place.line
            // What goes on does not begin at the left edge, where rows begin.
            let isWide = self.columns.map { Self.width(cell) > $0 } ?? false
            let more = place.start == 0 && isWide ? min(Self.indent, (self.columns ?? 0) / 3) : 0
            let parts = Self.wrap(cell, columns: self.columns.map { $0 - place.start - more })
            for (index, part) in parts.enumerated() {
                if index > 0 { text += "\n" }
                let blanks = index > 0 ? place.start + more : place.start - used
                text += String(repeating: " ", count: blanks) + part
            }
            used = place.start + Self.width(parts[parts.count - 1])
        }
        return text + "\n"
    }

    /// A text in lines of so many cells, cut between words, and in words that are longer.
    private static func wrap(_ text: String, columns: Int?) -> [String] {
        guard let columns, self.width(text) > columns else { return [text] }
        var lines = [""]
        for word in text.split(separator: " ", omittingEmptySubsequences: false) {
            let line = lines[lines.count - 1]
            if !line.isEmpty, self.width(line) + 1 + self.width(String(word)) <= columns {
                lines[lines.count - 1] += " " + word
                continue
            }
            let parts = LineWrap.parts(of: String(word), columns: columns)
            if line.isEmpty { lines.removeLast() }
            lines += parts.isEmpty ? [""] : parts
        }
        return lines
    }

    /// How many terminal cells a text takes; what only says how it looks takes none.
    static func width(_ text: String) -> Int {
        guard text.utf8.contains(0x1B) else { return CellWidth.of(text) }
        var isStyle = false
        return text.unicodeScalars.reduce(0) { sum, scalar in
            if isStyle || scalar == "\u{1B}" {
                isStyle = scalar != "m"
                return sum
            }
            return sum + CellWidth.of(scalar)
        }
    }
}
