/// Lays out rows in aligned columns, part by part: a column is as wide as in the parts before, or wider.
struct TextTable {
    private var widths: [Int] = []
    private let heading: [String]
    /// Whether no row has come yet.
    private(set) var isEmpty = true

    /// A table whose heading is printed with its first rows.
    init(heading: [String]) { self.heading = heading }

    /// Further rows as lines, columns two spaces apart, no blanks at the end of a line; nothing for none.
    ///
    /// The cells must be safe to print already and hold no newline.
    mutating func add(_ rows: [[String]]) -> String {
        guard !rows.isEmpty else { return "" }
        defer { self.isEmpty = false }
        return self.lay(self.isEmpty && !self.heading.isEmpty ? [self.heading] + rows : rows)
    }

    /// Rows as lines, without a heading.
    static func text(_ rows: [[String]]) -> String {
        var table = TextTable(heading: [])
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
        var text = ""
        for row in rows {
            var blanks = 0
            for (column, cell) in row.enumerated() where !cell.isEmpty || column == 0 {
                // Blanks are owed and paid only when another cell follows.
                text += String(repeating: " ", count: blanks) + cell
                blanks = self.widths[column] - Self.width(cell) + 2
                for skipped in row.indices.dropFirst(column + 1) {
                    guard row[skipped].isEmpty else { break }
                    blanks += self.widths[skipped] + 2
                }
            }
            text += "\n"
        }
        return text
    }

    /// How many terminal cells a text takes: marks none, East Asian wide characters and emoji two.
    static func width(_ text: String) -> Int {
        var width = 0
        for scalar in text.unicodeScalars {
            switch scalar.value {
            case 0x20..<0x7F: width += 1
            case 0x1100...0x115F, 0x2E80...0x303E, 0x3041...0xA4CF, 0xAC00...0xD7A3,
                0xF900...0xFAFF, 0xFE30...0xFE6F, 0xFF00...0xFF60, 0xFFE0...0xFFE6,
                0x1F300...0x1F64F, 0x1F680...0x1F6FF, 0x1F900...0x1F9FF, 0x20000...0x3FFFD:
                width += 2
            default:
                switch scalar.properties.generalCategory {
                case .nonspacingMark, .enclosingMark, .format: continue
                default: width += 1
                }
            }
        }
        return width
    }
}
