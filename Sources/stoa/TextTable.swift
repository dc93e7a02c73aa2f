/// Lays out rows in aligned columns.
enum TextTable {
    /// Rows as lines, columns two spaces apart, no blanks at the end of a line.
    ///
    /// The cells must be safe to print already and hold no newline.
    static func text(_ rows: [[String]]) -> String {
        var widths: [Int] = []
        for row in rows {
            for (column, cell) in row.enumerated() {
                let width = Self.width(cell)
                if column == widths.count {
                    widths.append(width)
                } else {
                    widths[column] = max(widths[column], width)
                }
            }
        }
        var text = ""
        for row in rows {
            var blanks = 0
            for (column, cell) in row.enumerated() where !cell.isEmpty || column == 0 {
                // Blanks are owed and paid only when another cell follows.
                text += String(repeating: " ", count: blanks) + cell
                blanks = widths[column] - Self.width(cell) + 2
                for skipped in row.indices.dropFirst(column + 1) {
                    guard row[skipped].isEmpty else { break }
                    blanks += widths[skipped] + 2
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
