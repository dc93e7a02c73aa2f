import ControlAPI
import TestSupport
import Testing

@Suite("A word of a printed command") struct CommandWordTests {
    @Test(
        "is in quotes where a shell would take it for something else, and only there",
        arguments: [
            ("ops", "ops"), ("@Ada", "@Ada"), ("office/ops", "office/ops"), ("@Zoë", "@Zoë"),
            ("@Ada Lovelace", "'@Ada Lovelace'"), ("@O'Neill", #"'@O'\''Neill'"#),
            ("#ops", "'#ops'"), ("$(reboot)", "'$(reboot)'"), ("~", "'~'"), ("", "''"),
            ("a\u{A0}b", "'a\u{A0}b'"), ("a\u{1B}b", "'a^[b'"),
        ])
    func quoted(text: String, word: String) { #expect(TerminalText.word(text) == word) }
}

@Suite("Timestamps")
struct TimestampTests {
    @Test(
        "milliseconds and text are the same moment",
        arguments: [
            (0, "1970-01-01T00:00:00.000Z"), (-1, "1969-12-31T23:59:59.999Z"),
            (951_782_400_000, "2000-02-29T00:00:00.000Z"),
            (951_868_799_999, "2000-02-29T23:59:59.999Z"),
            (4_107_542_400_000, "2100-03-01T00:00:00.000Z"),
            (1_791_117_005_123, "2026-10-04T12:30:05.123Z"),
            (Timestamp.range.lowerBound, "0000-01-01T00:00:00.000Z"),
            (Timestamp.range.upperBound, "9999-12-31T23:59:59.999Z"),
        ] as [(Int64, String)])
    func known(milliseconds: Int64, text: String) {
        #expect(Timestamp(milliseconds: milliseconds).text == text)
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test(
        "offsets, fractions and the spaces of RFC 3339 are read",
        arguments: [
            ("2026-10-04T14:30:05.123+02:00", 1_791_117_005_123),
            ("2026-10-04T12:30:05.1239999Z", 1_791_117_005_123),
            ("2026-10-04 12:30:05Z", 1_791_117_005_000),
            ("2026-10-04t12:30:05.1z", 1_791_117_005_100),
            ("2026-10-03T23:00:05-13:30", 1_791_117_005_000),
        ] as [(String, Int64)])
    func forms(text: String, milliseconds: Int64) {
        #expect(Timestamp(text)?.milliseconds == milliseconds)
    }

    @Test(
        "what is no moment is refused",
        arguments: [
            "", "2026", "2026-10-04", "2026-10-04T12:30:05", "2026-10-04T12:30Z",
            "2026-13-01T00:00:00Z", "2026-00-01T00:00:00Z", "2026-02-29T00:00:00Z",
            "2100-02-29T00:00:00Z", "2026-04-31T00:00:00Z", "2026-10-00T00:00:00Z",
            "2026-10-04T24:00:00Z", "2026-10-04T12:60:00Z", "2026-10-04T12:30:60Z",
            "2026-10-04T12:30:05.Z", "2026-10-04T12:30:05Zx", "2026-10-04T12:30:05+2:00",
            "2026-10-04T12:30:05+24:00", "-026-10-04T12:30:05Z", "0000-01-01T00:00:00+00:01",
            "２026-10-04T12:30:05Z",
        ])
    func malformed(text: String) {
        #expect(Timestamp(text) == nil)
    }

    @Test("moments at random survive, in order, and those out of range become the nearest")
    func property() {
        var random = SeededRandom(seed: 3)
        var previous: (Timestamp, String)?
        for _ in 0..<5_000 {
            let moment = Timestamp(
                milliseconds: Int64.random(in: Timestamp.range, using: &random))
            let text = moment.text
            #expect(text.utf8.count == 24)
            #expect(Timestamp(text) == moment)
            if let previous { #expect((previous.0 < moment) == (previous.1 < text)) }
            previous = (moment, text)
        }
        #expect(Timestamp(milliseconds: .max).milliseconds == Timestamp.range.upperBound)
        #expect(Timestamp(milliseconds: .min).milliseconds == Timestamp.range.lowerBound)
    }
}

@Suite("Text for terminals")
struct TerminalTextTests {
    @Test(
        "escape sequences and disguises are made visible",
        arguments: [
            ("\u{1B}[31mred\u{1B}[0m", "^[[31mred^[[0m"), ("\u{1B}]0;title\u{7}", "^[]0;title^G"),
            ("\u{9B}31m", "<U+009B>31m"), ("a\rb", "a^Mb"), ("a\u{8}b", "a^Hb"),
            ("\0", "^@"), ("\u{7F}", "^?"), ("abc\u{202E}fdp.exe", "abc<U+202E>fdp.exe"),
            ("\u{2066}x\u{2069}", "<U+2066>x<U+2069>"), ("ad\u{200B}a", "ad<U+200B>a"),
            ("a\u{2028}b\u{2029}", "a<U+2028>b<U+2029>"), ("\u{FEFF}a", "<U+FEFF>a"),
            ("a\u{E0041}b", "a<U+E0041>b"), ("ad\u{200D}a", "ad<U+200D>a"), ("a\nb", "a^Jb"),
            ("a\r\nb", "a^Jb"), ("\u{3164}", "<U+3164>"), ("\u{61C}", "<U+061C>"),
        ])
    func hidden(text: String, shown: String) {
        #expect(TerminalText.line(text) == shown)
    }

    @Test(
        "ordinary text of all scripts stays as it is",
        arguments: ["hello", "日本語", "é e\u{301}", "שלום", "👨‍👩‍👧", "می‌خواهم", "a\u{A0}b", "🏴‍☠️"])
    func harmless(text: String) {
        #expect(TerminalText.line(text) == text)
    }

    @Test("a joiner behind one that is made visible is made visible, too")
    func joiners() {
        #expect(TerminalText.line("ada\u{200C}\u{200D}") == "ada<U+200C><U+200D>")
    }

    @Test("a message of several lines is indented, so that it cannot imitate another")
    func blocks() {
        #expect(
            TerminalText.block("one\ntwo\r\n\tthree\u{1B}", indent: "  ")
                == "one\n  two\n      three^[")
        #expect(
            TerminalText.block("2026-01-01 ada: x\n2026-01-01 bob: y", indent: "    ")
                .split(separator: "\n").dropFirst().allSatisfy { $0.hasPrefix("    ") })
    }

    @Test("whatever comes in, no hidden scalar goes out")
    func property() {
        var random = SeededRandom(seed: 9)
        for _ in 0..<5_000 {
            var text = ""
            for _ in 0..<20 {
                let limit: UInt32 = Bool.random(using: &random) ? 0xA0 : 0x2100
                if let scalar = Unicode.Scalar(UInt32.random(in: 0...limit, using: &random)) {
                    text.unicodeScalars.append(scalar)
                }
            }
            let line = TerminalText.line(text)
            #expect(!line.unicodeScalars.contains(where: TerminalText.isHidden))
            let block = TerminalText.block(text, indent: " ")
            #expect(!block.unicodeScalars.contains { TerminalText.isHidden($0) && $0 != "\n" })
        }
    }
}

@Suite("Nearest names")
struct NearestNameTests {
    private static let names = ["status", "send", "history", "conversations", "tail"]

    @Test(
        "slips of the hand find the word that was meant",
        arguments: [
            ("sned", "send"), ("stauts", "status"), ("hist", "history"), ("Tail", "tail"),
            ("conv", "conversations"), ("sends", "send"), ("tal", "tail"),
        ])
    func near(word: String, name: String) {
        #expect(NearestName.find(word, among: Self.names) == name)
    }

    @Test("a word of a name that is near finds the whole name", arguments: ["adda", "lovelaec"])
    func nearWord(word: String) {
        #expect(NearestName.find(word, among: ["Bob", "Ada Lovelace"]) == "Ada Lovelace")
    }

    @Test(
        "words that are far from all find none",
        arguments: ["", "x", "xyzzy", "qqqqqqqq", String(repeating: "s", count: 100_000)])
    func far(word: String) {
        #expect(NearestName.find(word, among: Self.names) == nil)
    }
}
