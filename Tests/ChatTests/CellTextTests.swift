import ControlAPI
import Testing

@testable import Chat

@Suite("Text in cells")
struct CellTextTests {
    private func rows(_ text: String, _ columns: Int) -> [String] {
        CellText.wrap([.init(text: text, look: .plain)], columns: columns).map { row in
            row.runs.map(\.text).joined()
        }
    }

    @Test("lines break at blanks, and inside a word that is longer than a row")
    func wrapping() {
        #expect(self.rows("one two three", 8) == ["one two", "three"])
        #expect(self.rows("abcdefgh", 3) == ["abc", "def", "gh"])
        #expect(self.rows("a\n\nb", 9) == ["a", "", "b"])
        #expect(self.rows("", 9) == [""])
        #expect(self.rows("日本語", 5) == ["日本", "語"])
        #expect(self.rows("日", 1) == [""])
    }

    @Test("no row is wider than it may be, for any text and any width", arguments: 1...12)
    func width(columns: Int) {
        let texts = [
            "plain words of several lengths", "日本語 と mixed ひらがな", "e\u{301}e\u{302} x",
            "👩‍👩‍👧👍🏽🇩🇪❤️", "שלום עולם", "a\u{300}\u{301}\u{302}\u{303}\u{304}\u{305}b",
        ]
        for text in texts {
            for row in CellText.wrap([.init(text: text, look: .plain)], columns: columns) {
                #expect(row.columns <= columns, "\(text)")
                #expect(row.columns == CellWidth.of(row.runs.map(\.text).joined()), "\(text)")
            }
        }
    }

    @Test("marks beyond a few are counted, not drawn, and one without a letter gets a circle")
    func marks() {
        let flood = "x" + String(repeating: "\u{301}", count: 10_000) + "y"
        let text = self.rows(flood, 40).joined()
        #expect(text.unicodeScalars.count { $0.value == 0x301 } == 4)
        #expect(text.hasSuffix("<+9996 marks>y"))
        #expect(self.rows("\u{301}x", 9)[0].unicodeScalars.first == "◌")
    }

    @Test("joined emoji stand side by side, so that all terminals agree where the rest is")
    func emoji() {
        let clusters = CellText.clusters("👩‍👩‍👧x")
        #expect(clusters.map(\.text) == ["👩", "👩", "👧", "x"])
        #expect(clusters.map(\.columns) == [2, 2, 2, 1])
    }

    @Test("a row is cut with an ellipsis, or filled")
    func fitting() {
        let row = ScreenRow([TextRun("日本語")])
        #expect(row.fitted(4).runs.map(\.text).joined() == "日… ")
        #expect(row.fitted(8).columns == 8)
        #expect(row.fitted(0).columns == 0)
    }
}
