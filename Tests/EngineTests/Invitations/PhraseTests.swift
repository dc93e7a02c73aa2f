import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("The phrase of a secret room") struct PhraseTests {
    private typealias Suite = ConversationKey.Suite

    @Test("that is made has six words of the list, and says how the room is sealed")
    func made() throws {
        var random = SodiumRandom()
        let words = Set(Phrase.list)
        var seen: Set<String> = []
        for suite in Suite.allCases {
            for _ in 0..<100 {
                let phrase = Phrase.generate(for: suite, using: &random)
                let parts = phrase.text.split(separator: " ").map(String.init)
                #expect(parts.count == Phrase.wordCount && parts.allSatisfy(words.contains))
                #expect(try Phrase(phrase.text) == phrase && phrase.suite == suite)
                let typed = "  " + phrase.text.uppercased().replacing(" ", with: "\n\t ") + " "
                #expect(try Phrase(typed) == phrase)
                seen.insert(phrase.text)
            }
        }
        #expect(seen.count == 200)
    }

    // Shows: told.phrase
    @Test("of which a word was mistyped, changed, left out or moved is told of, not taken")
    func slips() throws {
        var random = SodiumRandom()
        let phrase = Phrase.generate(for: .xchacha20Poly1305, using: &random)
        let words = phrase.text.split(separator: " ").map(String.init)
        for index in words.indices {
            var mistyped = words
            mistyped[index] += "x"
            #expect(throws: PhraseError.unknownWord(mistyped[index], number: index + 1)) {
                try Phrase(mistyped.joined(separator: " "))
            }
        }
        // One in 3,888 other words would do for one of the suites; of so many at most a few do.
        var taken = 0
        for index in words.indices {
            for other in Phrase.list.prefix(100) where other != words[index] {
                var changed = words
                changed[index] = other
                if (try? Phrase(changed.joined(separator: " "))) != nil { taken += 1 }
            }
        }
        #expect(taken <= 4)
        let swapped = [words[1], words[0]] + words[2...]
        if swapped != words {
            #expect((try? Phrase(swapped.joined(separator: " "))) != phrase)
        }
    }

    @Test("of a backup may be six words of the list that its user chose")
    func ownWords() throws {
        var random = SodiumRandom()
        let made = Phrase.generate(for: .xchacha20Poly1305, using: &random)
        #expect(try Phrase(chosen: made.text.uppercased()) == made)
        let words = made.text.split(separator: " ")
        let own = (words.dropFirst() + words.prefix(1)).joined(separator: "  ")
        let chosen = try Phrase(chosen: own)
        #expect(chosen.text == own.replacing("  ", with: " ") && chosen.suite == nil)
        #expect(throws: PhraseError.empty) { try Phrase(chosen: " ") }
    }

    @Test("may be written with any signs between its words, and in capitals")
    func written() throws {
        var random = SodiumRandom()
        // With one of each kind of word that the list has, those with a hyphen among them.
        var phrases = [Phrase.generate(for: .xchacha20Poly1305, using: &random)]
        while !phrases.contains(where: { $0.text.contains("-") }) {
            phrases.append(Phrase.generate(for: .xchacha20Poly1305, using: &random))
        }
        for phrase in phrases.suffix(20) {
            for sign in ["-", ", ", ",", ". ", "\u{a0}", "\u{202f}", " \u{2013} ", "_", "/", "\t"] {
                let typed = phrase.text.replacing(" ", with: sign)
                #expect(try Phrase(typed) == phrase, "\(typed)")
                #expect(try Phrase("\"" + typed.uppercased() + ".\"") == phrase, "\(typed)")
            }
        }
    }

    @Test("that lacks a word is told of, whichever it is")
    func missing() throws {
        var random = SodiumRandom()
        let words = Phrase.generate(for: .xchacha20Poly1305, using: &random).text
            .split(separator: " ").map(String.init)
        for index in words.indices {
            var left = words
            left.remove(at: index)
            #expect(throws: PhraseError.missingWord) { try Phrase(left.joined(separator: "-")) }
        }
    }

    @Test("that somebody chose is any text, with its capitals and one space between words")
    func chosen() throws {
        let phrase = try Phrase(" Our dog  sleeps on\tthe red SOFA ")
        #expect(phrase.text == "Our dog sleeps on the red SOFA" && phrase.suite == nil)
        #expect(try Phrase("abacus abdomen abide").suite == nil)
        #expect(throws: PhraseError.empty) { try Phrase(" \n") }
        #expect(throws: PhraseError.tooLong) {
            try Phrase(String(repeating: "é", count: 101))
        }
    }

    @Test("that somebody chose is the same on keyboards that put accents in other ways")
    func composed() throws {
        let whole = try Phrase(
            "f\u{fc}nf \u{c5}lesunder K\u{f6}nige \u{1eb9}\u{301} \u{d55c}\u{ae00}")
        let apart = try Phrase(
            "fu\u{308}nf A\u{30a}lesunder Ko\u{308}nige e\u{301}\u{323} "
                + "\u{1112}\u{1161}\u{11ab}\u{1100}\u{1173}\u{11af}")
        #expect(Array(whole.text.utf8) == Array(apart.text.utf8))
        // Capitals are other letters, and so is what only looks alike.
        #expect(try Phrase("F\u{fc}nf").text != Phrase("f\u{fc}nf").text)
        #expect(try Phrase("\u{ff21}bc").text != Phrase("Abc").text)
    }

    @Test("gives the same room to all who have it, and another by each other name, realm and suite")
    func room() throws {
        let phrase = try Phrase("our dog sleeps on the red sofa")
        let name = try #require(RoomName("war-room"))
        let other = try #require(RoomName("war-rooms"))
        let room = try phrase.room(name, in: .open, suite: .xchacha20Poly1305)
        #expect(try phrase.room(name, in: .open, suite: .xchacha20Poly1305) == room)
        let others = [
            try phrase.room(other, in: .open, suite: .xchacha20Poly1305),
            try phrase.room(name, in: RealmID(fixed32(1)), suite: .xchacha20Poly1305),
            try phrase.room(name, in: .open, suite: .aes256GCM),
        ]
        #expect(Set(others.map(\.id) + [room.id]).count == 4)
        #expect(Set(others.map(\.root) + [room.root]).count == 4)
    }

    @Test("has a list of 7,776 words in order, which never changes")
    func list() {
        let list = Phrase.list
        #expect(list.count == 7_776 && list == Array(Set(list)).sorted())
        let hash = BLAKE2b.hash256(
            Array(list.joined(separator: "\n").utf8), personal: .phrase)
        #expect(hash.description == Self.hash)
    }

    /// `Docs/Protocol/Entries.md` section 1.
    private static let hash =
        "ed602bbcd8e7b7a3aaada2918a2b8c9f2a445f4192ff627e105897b3f2be02a3"
}

@Suite("A secret room that this machine cannot seal for") struct UnsealableRoomTests {
    @Test("is neither written in nor left, and says why; what is there can be read")
    func refused() throws {
        var harness = Harness()
        let name = try #require(RoomName("war-room"))
        let room = SecretRoom(
            realm: .open, name: name, suite: .xchacha20Poly1305, root: fixed32(7))
        harness.give(.request(RequestID(1), .joinSecret(room)))
        harness.settle()
        #expect(harness.answers(of: RequestID(1)) == [.joined(room.id)])
        // As after the store has come to a processor without the suite.
        harness.node.keyring = Keyring()
        harness.give(
            .request(RequestID(2), .send(Outgoing(conversation: room.id, text: "hello"))))
        harness.give(.request(RequestID(3), .leave(room.id)))
        harness.settle()
        for request in [2, 3] as [UInt64] {
            #expect(harness.answers(of: RequestID(request)) == [.failed(.cannotSeal)])
        }
        #expect(harness.node.joinedConversations[room.id] != nil)
    }
}
