import Testing

@testable import Engine
@testable import Formats

@Suite("How a name looks") struct NameLookTests {
    private static let names = [
        "Ada Lovelace", "Blaise Pascal", "Cecilia Payne", "Paul Erdos", "Sofia Ionescu",
        "Emil Oliveira", "Carla Popescu", "Simon Prowler",
    ]

    /// What makes a name another one that looks like it.
    static let disguises: [(name: String, change: @Sendable (String) -> String)] = [
        ("Cyrillic а", { $0.replacing("a", with: "\u{430}") }),
        ("Cyrillic о", { $0.replacing("o", with: "\u{43E}") }),
        ("Cyrillic е", { $0.replacing("e", with: "\u{435}") }),
        ("Cyrillic с", { $0.replacing("c", with: "\u{441}") }),
        ("Cyrillic і", { $0.replacing("i", with: "\u{456}") }),
        (
            "Cyrillic С and Р",
            { $0.replacing("P", with: "\u{420}").replacing("C", with: "\u{421}") }
        ),
        ("Greek ο", { $0.replacing("o", with: "\u{3BF}") }),
        ("capital I for l", { $0.replacing("l", with: "I") }),
        ("1 for l", { $0.replacing("l", with: "1") }),
        ("0 for O", { $0.replacing("O", with: "0") }),
        ("a bold letter", { $0.replacing("a", with: "\u{1D41A}") }),
        ("a fullwidth letter", { $0.replacing("e", with: "\u{FF45}") }),
        ("a script letter", { $0.replacing("s", with: "\u{1D4C8}") }),
        ("capitals", { $0.uppercased() }),
        ("small letters", { $0.lowercased() }),
        ("a space more", { $0 + " " }),
        ("no space", { $0.replacing(" ", with: "") }),
        ("a no-break space", { $0.replacing(" ", with: "\u{A0}") }),
        ("an ideographic space", { $0.replacing(" ", with: "\u{3000}") }),
        ("a blank of braille", { $0.replacing(" ", with: "\u{2800}") }),
        ("a zero-width space", { Self.insert("\u{200B}", in: $0) }),
        ("a joiner", { Self.insert("\u{200D}", in: $0) }),
        ("a non-joiner", { Self.insert("\u{200C}", in: $0) }),
        ("a soft hyphen", { Self.insert("\u{AD}", in: $0) }),
        ("a word joiner", { Self.insert("\u{2060}", in: $0) }),
        ("a variation selector", { Self.insert("\u{FE0F}", in: $0) }),
        ("an ideographic variation", { Self.insert("\u{E0100}", in: $0) }),
        ("a tag", { Self.insert("\u{E0041}", in: $0) }),
        ("a grapheme joiner", { Self.insert("\u{34F}", in: $0) }),
        ("a Hangul filler", { Self.insert("\u{3164}", in: $0) }),
        ("a mark to the right", { Self.insert("\u{200F}", in: $0) }),
        ("an override", { "\u{202D}" + $0 + "\u{202C}" }),
        ("an isolate", { "\u{2068}" + $0 + "\u{2069}" }),
        ("a control character", { Self.insert("\u{7}", in: $0) }),
        ("an annotation", { Self.insert("\u{FFF9}", in: $0) }),
        ("a byte order mark", { "\u{FEFF}" + $0 }),
    ]

    private static func insert(_ scalar: Unicode.Scalar, in name: String) -> String {
        var text = name.unicodeScalars
        text.insert(scalar, at: text.index(text.startIndex, offsetBy: 2))
        return String(text)
    }

    static func alike(_ one: String, _ other: String) -> Bool {
        !NameLook(one).keys.isDisjoint(with: NameLook(other).keys)
    }

    // Shows: shown.lookalikes
    @Test("more than two hundred pairs that people cannot tell apart look alike")
    func alike() {
        var pairs = 0
        for name in Self.names {
            for (what, change) in Self.disguises {
                let other = change(name)
                guard Array(other.utf8) != Array(name.utf8) else { continue }
                pairs += 1
                #expect(Self.alike(name, other), "\(name) with \(what)")
            }
        }
        for (one, other) in [
            ("modern", "rnodern"), ("José", "Jose\u{301}"), ("José", "Jos\u{435}\u{301}"),
            ("Ian", "lan"), ("Ian", "ian"), ("ΑΒΓ", "АВГ"),
        ] {
            pairs += 1
            #expect(Self.alike(one, other), "\(one) and \(other)")
        }
        #expect(pairs >= 200)
    }

    @Test("names that people tell apart do not")
    func different() {
        let names =
            Self.names + [
                "Ada", "Ida", "Adam", "Bob", "Rob", "José", "Jose", "Jürgen", "Jurgen", "山田", "山口",
                "Анна", "Анастасия", "محمد", "محمود", "👩‍🔬", "👩‍🚀", "ops-bot", "ops bot 2",
            ]
        for (index, name) in names.enumerated() {
            for other in names[(index + 1)...] {
                #expect(!Self.alike(name, other), "\(name) and \(other)")
            }
        }
    }

    @Test(
        "a part of a name that could be a key, or the mark of one, is noticed",
        arguments: [
            "lntyzs3wpof3", "LNTYZS3WPOF3", "Ada @lntyzs3w", "Ada lntyzs3wpof3", "@lntyzswxyz",
            "Ada\u{FF20}lntyzs3w", "lntyz\u{200B}s3wpof3", "Ada(@abcdefgh)",
        ])
    func likeKey(name: String) { #expect(NameLook(name).isLikeKey) }

    @Test(
        "a name of a language or with a number is no key",
        arguments: [
            "Ada Lovelace", "Bartholomew", "Constantinopolitan", "build-7", "lab2024", "ada@home",
            "Ada (desk 3)", "李小龙",
        ])
    func notLikeKey(name: String) { #expect(!NameLook(name).isLikeKey) }

    // Shows: shown.lookalikes
    @Test(
        "what could be read as a mark behind a name is noticed, and makes it no other name",
        arguments: ["Ada \u{2713}", "Ada\u{2705}", "Ada \u{2714}\u{FE0F}", "\u{221A} Ada"])
    func checked(name: String) {
        #expect(NameLook(name).isLikeMark && Self.alike(name, "Ada"))
    }

    @Test(
        "what programs say behind names is noticed",
        arguments: [
            "Ada (verified)", "Ada [Verified]", "Ada (y\u{43E}u)", "Ada \u{FF08}away\u{FF09}",
        ])
    func remarks(name: String) { #expect(NameLook(name).isLikeMark) }

    @Test(
        "other brackets and signs are no marks",
        arguments: ["Ada (desk 3)", "Ada (yours)", "Ada \u{2717}"])
    func noMarks(name: String) { #expect(!NameLook(name).isMisleading) }

    // Shows: shown.lookalikes
    @Test(
        "characters that identifiers may not have are unusual, and marks on letters that do not have them",
        arguments: [
            "bob\u{13440}", "bob\u{16FE4}", "bob\u{1D159}", "bob\u{1D173}", "bob\u{332}",
            "bob\u{1A7F}", "bo\u{301}b\u{301}", "bob\u{903}", "bob\u{64E}", "bob\u{A0}", "bob 🎉",
            "bob\u{E0101}",
        ])
    func unusual(name: String) {
        #expect(NameLook(name).isUnusual)
        #expect(!NameLook("bob").isUnusual)
    }

    @Test(
        "names of many languages are written usually, however their marks are encoded",
        arguments: [
            "Ada Lovelace", "José", "Jose\u{301}", "Nguyễn Thị", "Jürgen Müller-Lüdenscheidt",
            "O'Brien", "Dr. No", "ops_bot-2", "Анна Йовович", "Ελένη Ζωή", "محمد", "דוד", "山田 太郎",
            "がぎぐ", "김철수", "नमस्ते", "สมชาย", "தமிழ்", "Łukasz",
        ])
    func usual(name: String) { #expect(!NameLook(name).isUnusual) }

    @Test(
        "a name of which nothing is to be seen is blank",
        arguments: ["\u{200B}", " ", "\u{2800}\u{AD}"])
    func blank(name: String) { #expect(NameLook(name).isBlank) }
}
