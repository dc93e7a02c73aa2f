import Testing

@testable import Chat

@Suite("The input line")
struct InputLineTests {
    private func line(_ text: String) -> InputLine {
        var line = InputLine()
        line.insert(text)
        return line
    }

    @Test("a mark that is typed joins the letter before it, and goes with it")
    func marks() {
        var line = self.line("e")
        line.insert("\u{301}")
        #expect(line.characters.count == 1)
        line.backspace()
        #expect(line.isEmpty)
    }

    @Test("words are killed and yanked, backwards and forwards")
    func killing() {
        var line = self.line("one two  three")
        line.killWordBack()
        #expect(line.text == "one two  ")
        line.yank()
        #expect(line.text == "one two  three")
        line.moveToLineStart()
        line.killWordForward()
        #expect(line.text == " two  three")
        line.killToEnd()
        #expect(line.text == "")
        line.yank()
        #expect(line.text == "one two  three")
    }

    @Test("kills one after the other are yanked together, and Ctrl-W goes back to a blank")
    func killRing() {
        var line = self.line("see https://a.example/b-c now please")
        line.killWordBack()
        line.killWordBack()
        #expect(line.text == "see https://a.example/b-c ")
        line.yank()
        #expect(line.text == "see https://a.example/b-c now please")
        line.killWordBack()
        line.moveToWordStart()
        line.killToBlank()
        #expect(line.text == "see now ")
        line.moveToLineEnd()
        line.yank()
        #expect(line.text == "see now https://a.example/b-c ")
    }

    @Test("what was typed before is found by its words, and older ones after it")
    func searching() {
        var line = InputLine()
        for text in ["deploy one", "hello", "Deploy two"] {
            line.set(text)
            _ = line.take()
        }
        line.insert("draft")
        line.search("", isNext: false)
        line.search("dep", isNext: false)
        #expect(line.text == "Deploy two")
        line.search("dep", isNext: true)
        #expect(line.text == "deploy one")
        line.search("dep", isNext: true)
        #expect(line.text == "deploy one")
        line.search("depx", isNext: false)
        #expect(line.text == "draft")
    }

    @Test("undo takes back what was typed word by word, and every other change")
    func undoing() {
        var line = InputLine()
        for letter in "ab cd" { line.insert(String(letter)) }
        line.undo()
        #expect(line.text == "ab")
        line.undo()
        #expect(line.text == "")
        line.insert("x", isTyped: false)
        line.set("y")
        line.undo()
        #expect(line.text == "x")
    }

    @Test("undoing without end holds no more than its bound")
    func undoBound() {
        var line = InputLine()
        let text = String(repeating: "x", count: 60_000)
        for _ in 0..<100 {
            line.insert(text, isTyped: false)
            line.set("")
        }
        for _ in 0..<1_000 { line.undo() }
        #expect(line.text.utf8.count <= 60_000)
    }

    @Test("old texts come back, and the new one after them")
    func recalling() {
        var line = self.line("first")
        let taken = line.take()
        #expect(taken == "first")
        line.insert("second")
        _ = line.take()
        line.insert("draft")
        line.recall(-1)
        line.recall(-1)
        #expect(line.text == "first")
        line.recall(-1)
        #expect(line.text == "first")
        line.recall(1)
        line.recall(1)
        #expect(line.text == "draft")
        line.recall(1)
        #expect(line.text == "draft")
    }

    @Test("the cursor moves by lines and keeps its column where it can")
    func lines() {
        var line = self.line("long line\nab\nlonger line")
        var moved = line.moveLine(-1)
        #expect(moved)
        line.insert("X")
        #expect(line.text == "long line\nabX\nlonger line")
        moved = line.moveLine(-1)
        #expect(moved)
        moved = line.moveLine(-1)
        #expect(!moved)
    }

    @Test("two letters are exchanged, at the end the last two")
    func transposing() {
        var line = self.line("ba")
        line.transpose()
        #expect(line.text == "ab")
        line.moveToLineStart()
        line.transpose()
        #expect(line.text == "ab")
    }
}
