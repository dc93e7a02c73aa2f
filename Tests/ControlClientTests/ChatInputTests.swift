import ControlAPI
import Testing

@testable import stoa

@Suite("What is typed into chat")
struct ChatInputTests {
    @Test("a pasted line of any length and characters cut between reads arrive whole")
    func long() {
        let text = String(repeating: "é日x", count: 5_000)
        for portion in [1, 2, 3, 4_096] {
            var editor = LineEditor()
            var outcomes: [LineEditor.Outcome] = []
            let bytes = Array(text.utf8) + [0x0D]
            for start in stride(from: 0, to: bytes.count, by: portion) {
                outcomes += editor.type(Array(bytes[start..<min(start + portion, bytes.count)]))
            }
            #expect(outcomes == [.line(text)])
        }
    }

    @Test("the lines of a paste are one text, sent when Enter is pressed")
    func paste() {
        var editor = LineEditor()
        #expect(editor.type(Array("a\u{1B}[200~one\ntwo\r\u{1B}[201~".utf8)) == [])
        #expect(editor.text == "aone\ntwo\n")
        #expect(editor.shown(columns: 80) == "> aone⏎two⏎")
        #expect(editor.type([0x0D]) == [.line("aone\ntwo\n")])
        #expect(editor.text == "")
    }

    @Test("keys delete characters, words and the line; others are ignored")
    func keys() {
        var editor = LineEditor()
        #expect(editor.type(Array("one two e\u{301}\u{7F}\u{1B}[A\u{01}".utf8)) == [])
        #expect(editor.text == "one two ")
        #expect(editor.type([0x17]) == [] && editor.text == "one ")
        #expect(editor.type([0x04]) == [] && editor.text == "one ")
        #expect(editor.type([0x15, 0x04]) == [.end])
        #expect(editor.type([0x1B]) == [] && editor.type([0x5B]) == [])
        #expect(editor.type(Array("Cx".utf8)) == [] && editor.text == "x")
    }

    @Test("only the end of a long line is shown, within the terminal's width")
    func shown() {
        var editor = LineEditor()
        _ = editor.type(Array(String(repeating: "日", count: 50).utf8))
        #expect(TextTable.width(editor.shown(columns: 20)) <= 20)
        _ = editor.type(Array("\u{1B}[200~\u{07}\u{1B}[201~".utf8))
        #expect(!editor.shown(columns: 20).contains("\u{07}"))
    }

    @Test("a line of a pipe may be as long as a message, and the last one needs no newline")
    func lines() {
        let longest = [UInt8](repeating: 0x61, count: ControlLimits.textBytes)
        var input = LineInput()
        let text = String(decoding: longest, as: UTF8.self)
        #expect(input.append(longest + Array("\r\n \nb".utf8)) == [.text(text)])
        #expect(input.finish() == .text("b"))
        #expect(input.finish() == nil)
        #expect(input.append(longest + [0x61, 0x0A, 0xFF, 0x0A]) == [.tooLong, .text("\u{FFFD}")])
        #expect(input.append(longest + longest) == [])
        #expect(input.append([0x61, 0x0A, 0x62, 0x0A]) == [.tooLong, .text("b")])
    }
}
