import Crypto
import Testing

@testable import Engine

@Suite("Whom the user knows") struct PeopleTests {
    private var harness = Harness()
    private let ada = Harness.peer(2)
    private let other = Harness.peer(3)

    /// Links the node to two strangers with these names.
    private mutating func meet(_ first: String, _ second: String) {
        self.harness.join(room("ops"))
        self.harness.settle()
        for (number, name) in [(UInt8(2), first), (3, second)] {
            self.harness.link(number, in: [room("ops")])
            let time = HybridTime(wallMilliseconds: self.harness.now.wall)
            let record = Record(
                kind: Record.Kind.profile, author: Harness.peer(number), conversation: nil,
                time: time, value: Profile(name: name, status: "").encoded, signer: signer(number))
            self.harness.give(.records([record]), from: number)
        }
        self.harness.settle()
    }

    private mutating func answer(to request: UInt64, _ what: Request) -> [Answer] {
        self.harness.give(.request(RequestID(request), what))
        self.harness.settle()
        return self.harness.answers(of: RequestID(request))
    }

    @Test(
        "their names stand alone, others that look alike are marked, until they are known no longer"
    )
    func marks() {
        var test = self
        test.meet("Cleo", "\u{421}leo")
        #expect(test.harness.node.tier(of: ada) == .stranger)
        #expect(test.harness.node.isAmbiguous(ada) && test.harness.node.isAmbiguous(other))
        #expect(test.answer(to: 100, .know(ada, true)) == [.known(ada, true)])
        #expect(test.harness.node.tier(of: ada) == .known)
        #expect(test.harness.node.knownPeople == [ada])
        #expect(!test.harness.node.isAmbiguous(ada) && test.harness.node.isAmbiguous(other))
        #expect(test.answer(to: 101, .know(ada, false)) == [.known(ada, false)])
        #expect(test.harness.node.knownPeople.isEmpty)
        #expect(test.harness.node.isAmbiguous(ada))
    }

    @Test("a name means the one who is known, whoever else bears it")
    func named() throws {
        var test = self
        test.meet("Cleo", "Cleo")
        #expect(throws: NameError.self) { try test.harness.node.person(named: "@cleo") }
        _ = test.answer(to: 100, .know(other, true))
        #expect(try test.harness.node.person(named: "@cleo") == other)
    }

    @Test(
        "a name that looks like a key, or like none, is refused as one's own",
        arguments: ["@lntyzs3wpof3", "lntyzs3wpof3", "\u{200B}\u{2800}"])
    func misleading(name: String) {
        var test = self
        let answer = test.answer(to: 100, .profile(name: name, status: nil))
        #expect(answer == [.failed(.misleadingName)])
    }

    @Test("no more people are known than may be")
    func bounded() {
        var test = self
        let others = (0..<Limits.people).map { index in
            let rest = [UInt8](repeating: 7, count: 30)
            return (PeerID(fixed32([UInt8(index >> 8), UInt8(index & 255)] + rest)), true)
        }
        test.harness.node.people.settle(Dictionary(uniqueKeysWithValues: others))
        #expect(test.answer(to: 100, .know(ada, true)) == [.failed(.tooManyPeople)])
        #expect(test.answer(to: 101, .know(ada, false)) == [.known(ada, false)])
    }
}
