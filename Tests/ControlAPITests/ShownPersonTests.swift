import ControlAPI
import Testing

@Suite("How people are shown")
struct ShownPersonTests {
    private static let id = "abcdefghijklmnopqrstuvwxyz234567abcdefghijklmnopqrst"

    private static func person(
        _ name: String, isAmbiguous: Bool = false, isVerified: Bool = false
    ) -> ShownPerson {
        ShownPerson(name: name, id: self.id, isAmbiguous: isAmbiguous, isVerified: isVerified)
    }

    @Test("the key stands behind a name that could be taken for another's, and alone without one")
    func keys() {
        #expect(Self.person("ada").text == "ada")
        #expect(Self.person("ada", isAmbiguous: true).text == "ada@abcdefghijkl")
        #expect(Self.person("", isVerified: true).text == "@abcdefghijkl ✓")
        #expect(Self.person("abcdefgh").text == "@abcdefghijkl")
        // As the daemon writes some.
        for written in ["ada@abcdefghijkl", "ada (abcdefgh)"] {
            #expect(Self.person(written) == Self.person("ada", isAmbiguous: true))
        }
    }

    @Test("in little room the name gives way, and what is behind it never does")
    func fitted() {
        let names = [
            "ada", "Ada Augusta King, Countess of Lovelace", "山田太郎山田太郎", "e\u{301}e\u{301}e\u{301}",
        ]
        for name in names {
            for (isAmbiguous, isVerified) in [
                (false, false), (true, false), (false, true), (true, true),
            ] {
                let person = Self.person(name, isAmbiguous: isAmbiguous, isVerified: isVerified)
                for columns in ShownPerson.leastColumns...200 {
                    let text = person.fitted(columns)
                    #expect(CellWidth.of(text) <= columns)
                    #expect(text == person.text || text.contains("@abcdefghijkl"))
                    #expect(text.hasSuffix(" ✓") == isVerified)
                }
                // Where there is not even so much room, it is taken all the same.
                #expect(
                    person.fitted(3) == person.text || person.fitted(3).hasPrefix("@abcdefghijkl"))
            }
        }
    }

    @Test(
        "nothing in a name ends it, begins a line of another kind, or leaves a gap as between columns"
    )
    func separators() {
        for (name, shown) in [
            ("bob: pay", "bob<U+003A> pay"), ("bob│pay", "bob<U+2502>pay"),
            ("bob\u{FF1A}pay", "bob<U+FF1A>pay"), ("* bob", "<U+002A> bob"),
            ("! bob!", "<U+0021> bob!"), ("  bob \u{A0}\u{3000} x ", "bob x"),
            ("a\nb", "a^Jb"), ("O'Brien-Smith, Jr. 🎉", "O'Brien-Smith, Jr. 🎉"),
        ] {
            #expect(ShownPerson.safe(name) == shown)
        }
    }

    @Test("among words a name that could be read on stands in quotes, which it cannot close")
    func quotes() {
        for (name, shown) in [
            ("bob", "bob"), ("ops-bot_2", "ops-bot_2"), ("Ada Lovelace", "\"Ada Lovelace\""),
            ("ada,bob", "\"ada,bob\""), ("a\" b", "\"a<U+0022> b\""),
            ("a\u{201D} b", "\"a<U+201D> b\""),
        ] {
            #expect(Self.person(name).quoted == shown)
        }
        #expect(
            Self.person("Ada B", isAmbiguous: true, isVerified: true).quoted
                == "\"Ada B\"@abcdefghijkl ✓")
    }

    @Test("two people who talk are called by the other one, and a room by its name")
    func conversations() {
        func shown(_ name: String) -> String {
            ConversationResult { ($0.name, $0.person) = (name, Self.id) }.shownName
        }
        #expect(shown("office/ops") == "office/ops" && shown("@ada") == "@ada")
        #expect(shown("@ada (abcdefgh)") == "@ada@abcdefghijkl")
        #expect(shown("@abcdefgh") == "@abcdefghijkl")
        #expect(shown("@bob: hi") == "@bob<U+003A> hi")
    }
}
