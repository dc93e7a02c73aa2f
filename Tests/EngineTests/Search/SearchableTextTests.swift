import Testing

@testable import Engine
@testable import Formats

@Suite("Texts as they are searched")
struct SearchableTextTests {
    @Test("what a person types becomes an expression in which all words must be there")
    func expressions() {
        #expect(SearchableText.expression("lunch noon") == "\"lunch\" AND \"noon\"*")
        #expect(
            SearchableText.expression("  \"lunch at noon\" x ")
                == "\"lunch at noon\" AND \"x\"")
        #expect(SearchableText.expression("lun*") == "\"lun*\"*")
        #expect(SearchableText.expression("/var/log/syslog") == "\"/var/log/syslog\"*")
        #expect(SearchableText.expression("a\"b") == "\"a\" AND \"b\"", "an open quote")
        #expect(SearchableText.expression("Mittag \"um zwölf\"") == "\"Mittag\" AND \"um zwölf\"")
        #expect(SearchableText.expression("Straße") == "(\"Strasse\"* OR \"Straße\"*)")
        #expect(SearchableText.expression("\"SS\"") == "(\"SS\" OR \"ß\")")
        for nothing in ["", "  ", "!!! ...", "\"\"", "* - ( )"] {
            #expect(SearchableText.expression(nothing) == nil, "\(nothing)")
        }
        // No word of the query language means anything in quotes.
        #expect(SearchableText.expression("OR NEAR(") == "\"OR\" AND \"NEAR(\"*")
        #expect(SearchableText.expression("a\u{0}b") == "\"ab\"*")
    }

    @Test("characters of scripts without spaces, and emoji, stand apart; all else stays")
    func indexed() {
        #expect(SearchableText.indexed("hello, w\u{F6}rld\n") == "hello, w\u{F6}rld\n")
        let s = "\u{2063}"
        #expect(
            SearchableText.indexed("\u{6771}\u{4EAC}") == "\(s)\u{6771}\(s)\(s)\u{4EAC}\(s)")
        #expect(SearchableText.indexed("ok\u{1F44D}") == "ok\(s)\u{1F44D}\(s)")
        #expect(SearchableText.indexed("a\u{1}b\u{2}") == "a\u{FFFD}b\u{FFFD}")
    }

    @Test("where no index is, any part of a text is found, in whatever case, accents and ligatures")
    func parts() {
        func marked(_ typed: String, _ text: String) -> String? {
            FoundText.excerpt(of: text, sought: SearchableText.sought(typed)).map { excerpt in
                SearchableText.parts(ofExcerpt: excerpt)
                    .map { $0.isMatch ? "[\($0.text)]" : $0.text }.joined()
            }
        }
        #expect(marked("tagess", "Das Mittagessen um 12") == "Das Mit[tagess]en um 12")
        #expect(marked("STRASSE", "In der Hauptstraße 5") == "In der Haupt[straße] 5")
        #expect(marked("strasse 5", "In der Hauptstraße 5") == "In der Haupt[straße] [5]")
        #expect(marked("aive", "so naïve") == "so n[aïve]")
        #expect(marked("fin", "the \u{FB01}nal") == "the [\u{FB01}n]al")
        #expect(marked("ΟΔΟΣ", "η οδός") == "η [οδός]")
        #expect(marked("noon", "Mittag") == nil)
        #expect(marked("mittag noon", "Mittag") == nil)
        let long = String(repeating: "x ", count: 400) + "y"
        #expect((marked("y", long) ?? "").count < 170)
    }

    @Test("an excerpt is cut into what was looked for and what stands around it")
    func excerpts() {
        let s = "\u{2063}"
        let excerpt =
            "see \(s)\u{1}\u{6771}\u{2}\(s)\(s)\u{1}\u{4EAC}\u{2}\(s) now"
        let parts = SearchableText.parts(ofExcerpt: excerpt)
        #expect(parts.map(\.text) == ["see ", "\u{6771}\u{4EAC}", " now"])
        #expect(parts.map(\.isMatch) == [false, true, false])
        #expect(SearchableText.parts(ofExcerpt: "").isEmpty)
    }
}
