import Testing

@testable import Chat

@Suite("Keys out of bytes")
struct KeyDecoderTests {
    private static let cases: [(String, [KeyPress])] = [
        ("ab", [.text("ab")]), ("é日", [.text("é日")]), ("\r", [.enter]), ("\t", [.tab]),
        ("\u{7F}", [.backspace]), ("\u{1}", [.control("a")]), ("\u{1F}", [.control("_")]),
        ("\u{1B}[A", [.up]), ("\u{1B}OB", [.down]), ("\u{1B}[1;5C", [.wordRight]),
        ("\u{1B}[1;5H", [.alt("<")]),
        ("\u{1B}[1;3A", [.altUp]), ("\u{1B}[5~", [.pageUp]), ("\u{1B}[3~", [.delete]),
        ("\u{1B}[H", [.home]), ("\u{1B}[4~", [.end]), ("\u{1B}1", [.alt("1")]),
        ("\u{1B}\r", [.newLine]), ("\u{1B}\u{7F}", [.wordBackspace]), ("\u{1B}[Z", [.backTab]),
        ("\u{1B}[13;2u", [.newLine]), ("\u{1B}[27;5;13~", [.newLine]), ("\u{1B}[13u", [.enter]),
        ("\u{1B}[114;5u", [.control("r")]), ("\u{1B}[100;3u", [.alt("d")]),
        ("\u{1B}d", [.alt("d")]),
        ("\u{12}", [.control("r")]), ("\u{14}", [.control("t")]),
        ("\u{18}\u{5}", [.control("x"), .control("e")]),
        ("\u{1B}[[A", [.up]), ("\u{1B}[99;99x", []),
        ("a\u{1B}[Db", [.text("a"), .left, .text("b")]),
        ("\u{1B}[200~x\ry\u{1B}[31m\u{1B}[201~z", [.paste("x\ny\u{1B}[31m"), .text("z")]),
    ]

    @Test("keys are the same however their bytes are cut", arguments: Self.cases.indices)
    func keys(index: Int) {
        let (bytes, due) = Self.cases[index]
        var whole = KeyDecoder()
        #expect(whole.append(Array(bytes.utf8)[...]) == due)
        var cut = KeyDecoder()
        var found: [KeyPress] = []
        for byte in bytes.utf8 { found += cut.append([byte]) }
        // Text comes as it is read.
        let joined = found.reduce(into: [KeyPress]()) { keys, key in
            if case .text(let more) = key, case .text(let text)? = keys.last {
                keys[keys.count - 1] = .text(text + more)
            } else {
                keys.append(key)
            }
        }
        #expect(joined == due)
    }

    @Test("Esc alone is a key once nothing follows")
    func escape() {
        var decoder = KeyDecoder()
        #expect(decoder.append([0x1B]) == [])
        #expect(decoder.isWaiting)
        #expect(decoder.timeOut() == [.escape])
        #expect(!decoder.isWaiting)
        #expect(decoder.append(Array("x".utf8)[...]) == [.text("x")])
    }

    @Test("bytes that are no text, sequences without end and pastes without end are bounded")
    func hostile() {
        var decoder = KeyDecoder()
        _ = decoder.append([0xFF, 0xFE, 0xC3, 0x28])
        _ = decoder.append(Array("\u{1B}[".utf8)[...])
        for _ in 0..<1_000 { _ = decoder.append(Array("1;1;1;".utf8)[...]) }
        _ = decoder.timeOut()
        var pasting = KeyDecoder()
        _ = pasting.append(Array("\u{1B}[200~".utf8)[...])
        let block = [UInt8](repeating: 0x61, count: 1 << 20)
        for _ in 0..<3 { _ = pasting.append(block[...]) }
        guard case .paste(let text)? = pasting.append(Array("\u{1B}[201~".utf8)[...]).first else {
            Issue.record("the paste has no end")
            return
        }
        #expect(text.utf8.count == 1 << 20)
    }
}
