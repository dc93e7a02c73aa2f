import Crypto
import Testing

@testable import Engine
@testable import Formats

/// Names as people type them: found, or listed, and never guessed.
@Suite("A person that somebody types") struct TypedNamesTests {
    private static let names = [
        // The node's own name is "ada".
        "Ada Lovelace", "Ben", "Ben Hur", "Cleo", "Cleopatra VII", "Dörte Müller", "Eva-Maria",
        "O'Neil", "佐藤 花子", "Иван Петров", "max", "Max Planck", "Zoë", "j.doe", "Ben",
    ]

    /// What is typed, and whose names it may mean, by their places; one is found, several are listed.
    private static let typed: [(String, [Int])] = [
        ("@ada", [0]), ("ada", [0]), ("@ADA", [0]), ("@Ada Lovelace", [0]), ("@ada lovelace", [0]),
        ("@lovelace", [0]), ("@love", [0]), ("@a", [0]), ("@Ada  Lovelace", []), ("@lace", []),
        ("@ben", [1, 14]), ("@Ben", [1, 14]), ("ben", [1, 14]), ("@ben hur", [2]), ("@hur", [2]),
        ("@Ben H", [2]), ("@be", [1, 2, 14]), ("@cleo", [3]), ("@CLEO", [3]), ("@cleop", [4]),
        ("@cle", [3, 4]), ("@vii", [4]), ("@Cleopatra", [4]), ("@cleopatra vii", [4]),
        ("@dörte", [5]), ("@DÖRTE", [5]), ("@do\u{308}rte", [5]), ("@müller", [5]), ("@dorte", []),
        ("@eva", [6]), ("@eva-maria", [6]), ("@Eva-M", [6]), ("@maria", []), ("@o'neil", [7]),
        ("@O'", [7]), ("@oneil", []), ("@佐藤", [8]), ("@花子", [8]), ("@佐藤 花子", [8]),
        ("@иван", [9]), ("@ИВАН", [9]), ("@Петров", [9]), ("@max", [10]), ("@MAX", [10]),
        ("@max p", [11]), ("@planck", [11]), ("@zoë", [12]), ("@zo", [12]), ("@zoe", []),
        ("@j.doe", [13]), ("@j.", [13]), ("@doe", []), ("@nobody", []), ("@", []),
    ]

    private static func peer(_ place: Int) -> PeerID { Harness.peer(UInt8(place + 2)) }

    private static func harness() -> Harness {
        var harness = Harness()
        harness.join(room("ops"))
        harness.settle()
        for (place, name) in Self.names.enumerated() {
            let number = UInt8(place + 2)
            harness.link(number, in: [room("ops")])
            let record = Record(
                kind: Record.Kind.profile, author: Self.peer(place), conversation: nil,
                time: HybridTime(wallMilliseconds: harness.now.wall),
                value: Profile(name: name, status: "").encoded, signer: signer(number))
            harness.give(.records([record]), from: number)
        }
        harness.settle()
        return harness
    }

    @Test("is found, or all whom it may mean are listed, or nobody is")
    func typed() {
        let node = Self.harness().node
        #expect(Self.typed.count >= 50)
        for (text, places) in Self.typed {
            let meant = places.map(Self.peer).sorted()
            do throws(NameError) {
                let found = try node.person(named: text, for: .look)
                #expect([found] == meant, "\(text)")
            } catch .ambiguous(_, let candidates) {
                #expect(candidates.sorted() == meant && meant.count > 1, "\(text)")
            } catch {
                #expect(meant.isEmpty, "\(text): \(error)")
            }
        }
    }

    @Test("is the one whom the user knows, where strangers have the same name")
    func known() throws {
        var harness = Self.harness()
        harness.give(.request(RequestID(99), .stand(Self.peer(14), .known)))
        harness.settle()
        #expect(try harness.node.person(named: "@ben", for: .reach) == Self.peer(14))
        harness.give(.request(RequestID(100), .stand(Self.peer(1), .verified)))
        harness.settle()
        #expect(try harness.node.person(named: "@ben", for: .reach) == Self.peer(1))
    }

    @Test("by the beginning of a key is that key, and too short a one is said to be")
    func keys() throws {
        let node = Self.harness().node
        let key = Self.peer(3).description
        #expect(try node.person(named: "@\(key.prefix(8))", for: .reach) == Self.peer(3))
        #expect(try node.person(named: "@\(key.uppercased())", for: .reach) == Self.peer(3))
        #expect(throws: NameError.tooShort("@\(key.prefix(7))")) {
            try node.person(named: "@\(key.prefix(7))", for: .reach)
        }
    }

    @Test("reaches nobody whom the user does not know, and says whose keys to compare")
    func strangers() throws {
        var harness = Self.harness()
        #expect(throws: NameError.stranger("@cleop", candidates: [Self.peer(4)])) {
            try harness.node.person(named: "@cleop", for: .reach)
        }
        let bens = [Self.peer(1), Self.peer(14)].sorted()
        #expect(throws: NameError.stranger("@ben", candidates: bens)) {
            try harness.node.person(named: "@ben", for: .reach)
        }
        let key = Self.peer(4).description
        #expect(try harness.node.person(named: "@\(key)", for: .reach) == Self.peer(4))
        // The beginning of a name that somebody else has whole is not enough.
        harness.give(.request(RequestID(99), .stand(Self.peer(4), .known)))
        harness.settle()
        #expect(try harness.node.person(named: "@cleop", for: .reach) == Self.peer(4))
        let both = [Self.peer(4), Self.peer(3)]
        #expect(throws: NameError.stranger("@cleo", candidates: both)) {
            try harness.node.person(named: "@cleo", for: .reach)
        }
        #expect(try harness.node.people(named: "@cle") == both)
    }

    @Test("is the user only as @me, or by the key")
    func own() throws {
        var harness = Harness()
        harness.give(.request(RequestID(98), .profile(name: "Ida", status: nil)))
        harness.settle()
        let node = harness.node
        for purpose in [NamePurpose.look, .reach, .waiting, .blocked] {
            #expect(throws: NameError.own("@ida")) {
                try node.person(named: "@ida", for: purpose)
            }
            #expect(try node.person(named: "@me", for: purpose) == node.id)
            #expect(try node.person(named: node.id.description, for: purpose) == node.id)
            let person = try #require(node.person(of: node.id)).description
            #expect(try node.person(named: "@" + person, for: purpose) == node.id)
        }
    }
}
