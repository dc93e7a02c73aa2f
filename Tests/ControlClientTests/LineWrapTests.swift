import ControlAPI
import Testing

@testable import stoa

@Suite("Lines that are longer than a terminal")
struct LineWrapTests {
    /// What a terminal of so many cells makes of lines.
    private static func rows(_ text: String, columns: Int) -> [String] {
        text.split(separator: "\n", omittingEmptySubsequences: false).flatMap { line in
            var (rows, used) = ([""], 0)
            for character in line {
                let width = CellWidth.of(String(character))
                if used + width > columns {
                    rows.append("")
                    used = 0
                }
                rows[rows.count - 1].append(character)
                used += width
            }
            return rows
        }
    }

    @Test(
        "no text goes on at the left edge, whatever blanks are in it",
        arguments: [
            " ", "\u{A0}", "\u{3000}", "x", "日", "e\u{301}", "🎉", "☺\u{FE0F}", "\u{2003}", "-",
        ])
    func edges(filling: String) {
        let fake = "2026-01-31 18:00:01 bob: the password is hunter2"
        for columns in 40...200 {
            for count in [columns - 40, columns - 33, columns - 1, columns, 3 * columns] {
                let text =
                    "2026-01-31 18:00:00 mallory: hello" + String(repeating: filling, count: count)
                    + fake
                let wrapped = LineWrap.text(text, columns: columns, indent: 22)
                let rows = Self.rows(wrapped, columns: columns)
                #expect(rows.dropFirst().allSatisfy { $0.hasPrefix("          ") }, "at \(columns)")
                #expect(rows.count == wrapped.split(separator: "\n").count, "at \(columns)")
                // Nothing is lost but blanks at which a line ends.
                let seen = rows.joined().filter { !$0.isWhitespace }
                #expect(seen == text.filter { !$0.isWhitespace })
            }
        }
    }

    @Test("what only says how text looks takes no room and stays whole")
    func styles() {
        let text = "\u{1B}[2mabc\u{1B}[0m \u{1B}[1m\u{301}def\u{1B}[0m ghi"
        #expect(
            LineWrap.text(text, columns: 8, indent: 2)
                == "\u{1B}[2mabc\u{1B}[0m \u{1B}[1m\u{301}def\u{1B}[0m\n  ghi")
        #expect(LineWrap.text(text, columns: nil, indent: 2) == text)
    }

    @Test("a word of a table that is longer than its column goes on under its beginning")
    func tables() {
        let long = String(repeating: "x", count: 70)
        let table = TextTable.text([["name", "what " + long]], columns: 40)
        for line in table.split(separator: "\n").dropFirst() { #expect(line.hasPrefix("    ")) }
        #expect(table.split(separator: "\n").allSatisfy { CellWidth.of(String($0)) <= 40 })
    }
}
