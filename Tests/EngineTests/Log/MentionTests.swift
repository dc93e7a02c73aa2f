import Testing

@testable import Engine
@testable import Formats

@Suite("Who is called by name")
struct MentionTests {
    @Test("@ and a name, or its first word, call somebody, in upper or lower case")
    func called() {
        for text in [
            "@ada", "hi @Ada!", "(@ADA)", "ask @ada, or @ben", "@ada lovelace: yes", "x @ada's",
            "\n@ada\n", "@ada\u{2026}",
        ] {
            #expect(Mention.isMade(of: "Ada", in: text), "\(text)")
            #expect(Mention.isMade(of: "Ada Lovelace", in: text), "\(text)")
        }
        #expect(Mention.isMade(of: "\u{00C9}mile", in: "@\u{00E9}mile?"))
        #expect(Mention.isMade(of: "\u{6771}\u{4EAC}", in: "@\u{6771}\u{4EAC}"))
    }

    @Test("a longer word, an address and a name without @ call nobody")
    func notCalled() {
        for text in [
            "ada", "@adam", "@ada1", "@ada_b", "post@ada.example", "@", "@ ada", "@ben", "",
        ] {
            #expect(!Mention.isMade(of: "Ada", in: text), "\(text)")
        }
        #expect(!Mention.isMade(of: "", in: "@"))
        #expect(!Mention.isMade(of: " ", in: "@ "))
    }
}
