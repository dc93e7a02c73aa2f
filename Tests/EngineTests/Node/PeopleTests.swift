import Crypto
import Testing

@testable import Engine
@testable import Formats

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

    @Test("a name and a status that are changed at once are both kept")
    func changedAtOnce() {
        var harness = Harness()
        harness.give(.request(RequestID(98), .profile(name: "Ida", status: nil)))
        harness.give(.request(RequestID(99), .profile(name: nil, status: "at tea")))
        harness.give(.request(RequestID(100), .profile(name: nil, status: "at home")))
        harness.settle()
        let profile = harness.node.profile(of: harness.node.id)
        #expect(profile.name == "Ida" && profile.status == "at home")
    }

    @Test(
        "their names stand alone, others that look alike are marked, until they are known no longer"
    )
    func marks() {
        var test = self
        test.meet("Cleo", "\u{421}leo")
        #expect(test.harness.node.tier(of: ada) == .stranger)
        #expect(test.harness.node.isAmbiguous(ada) && test.harness.node.isAmbiguous(other))
        #expect(test.answer(to: 100, .stand(ada, .known)) == [.standing(ada, .known)])
        #expect(test.harness.node.tier(of: ada) == .known)
        #expect(test.harness.node.chosenPeople == [ada])
        #expect(!test.harness.node.isAmbiguous(ada) && test.harness.node.isAmbiguous(other))
        #expect(test.answer(to: 101, .stand(ada, .unsaid)) == [.standing(ada, .unsaid)])
        #expect(test.harness.node.chosenPeople.isEmpty)
        #expect(test.harness.node.isAmbiguous(ada))
    }

    @Test("a name means the one who is known, whoever else bears it")
    func named() throws {
        var test = self
        test.meet("Cleo", "Cleo")
        #expect(throws: NameError.self) {
            try test.harness.node.person(named: "@cleo", for: .reach)
        }
        _ = test.answer(to: 100, .stand(other, .known))
        #expect(try test.harness.node.person(named: "@cleo", for: .reach) == other)
    }

    @Test(
        "a name that looks like a key, like a mark, or like none, is refused as one's own",
        arguments: ["@lntyzs3wpof3", "lntyzs3wpof3", "\u{200B}\u{2800}", "Ada \u{2713}"])
    func misleading(name: String) {
        var test = self
        let answer = test.answer(to: 100, .profile(name: name, status: nil))
        #expect(answer == [.failed(.misleadingName)])
    }

    // Shows: shown.devices
    @Test(
        "what is said of somebody holds for all their devices, and of no other person of the name")
    func devices() throws {
        var test = self
        let cleo = personKeys(50, 51)
        test.harness.join(room("ops"))
        test.harness.settle()
        test.harness.link(2, of: cleo, in: [])
        #expect(test.answer(to: 100, .stand(ada, .verified)) == [.standing(ada, .verified)])
        test.harness.link(3, of: cleo, in: [])
        test.harness.link(4, in: [])
        test.harness.settle()
        let stranger = Harness.peer(4)
        for number in [UInt8(2), 3, 4] {
            let record = Record(
                kind: Record.Kind.profile, author: Harness.peer(number), conversation: nil,
                time: HybridTime(wallMilliseconds: test.harness.now.wall),
                value: Profile(name: "Cleo", status: "").encoded, signer: signer(number))
            test.harness.give(.records([record]), from: number)
        }
        test.harness.settle()
        let node = test.harness.node
        #expect(node.tier(of: other) == .verified && node.tier(of: stranger) == .stranger)
        #expect(!node.isAmbiguous(ada) && !node.isAmbiguous(other) && node.isAmbiguous(stranger))
        #expect([ada, other].contains(try node.person(named: "@cleo", for: .reach)))
        let alerts = node.status(at: test.harness.now).alerts
        #expect(alerts.map(\.code) == [.namesake] && alerts[0].text.contains(stranger.shortText))
        // Taken back or blocked is the person, too, and what comes of them later.
        _ = test.answer(to: 101, .stand(other, .unsaid))
        #expect(test.harness.node.chosenPeople.isEmpty)
        _ = test.answer(to: 102, .stand(other, .blocked))
        #expect(test.harness.node.links.id(of: other) == nil)
        test.harness.link(5, of: cleo, in: [])
        test.harness.settle()
        #expect(test.harness.node.links.id(of: Harness.peer(5)) == nil)
    }

    // Shows: shown.devices
    @Test("a person has as many devices that stand as they do, and no more")
    func manyDevices() {
        var test = self
        let cleo = personKeys(50, 51)
        for number in 2...UInt8(Limits.devicesPerPerson) + 4 {
            test.harness.link(number, of: cleo, in: [])
            if number == 2 { _ = test.answer(to: 100, .stand(ada, .known)) }
            test.harness.settle()
        }
        #expect(test.harness.node.chosenPeople.count == Limits.devicesPerPerson)
    }

    @Test("another device of one's own is told of, and trusted")
    func otherDevice() throws {
        var test = self
        test.harness.link(2, of: personKeys(40, 41), in: [])
        test.harness.settle()
        let alerts = test.harness.node.status(at: test.harness.now).alerts
        #expect(alerts.map(\.code) == [.otherDevice] && alerts[0].text.contains(ada.shortText))
        #expect(test.harness.node.tier(of: ada) == .verified)
        #expect(test.harness.node.tiers(of: [ada])[ada] == .verified)
        // Once: it neither lasts nor comes again, when that device is linked again or writes.
        test.harness.give(.linkClosed(LinkID(2), nil))
        test.harness.pass(milliseconds: Limits.forkAlertMilliseconds)
        test.harness.give(.timer(.alerts))
        #expect(test.harness.node.status(at: test.harness.now).alerts.isEmpty)
        test.harness.join(room("ops"))
        test.harness.link(2, of: personKeys(40, 41), in: [room("ops")])
        test.writesAsMe(from: 2)
        #expect(test.harness.node.status(at: test.harness.now).alerts.isEmpty)
    }

    @Test("another device of one's own that was never linked is told of once, and remembered")
    func otherWritingDevice() {
        var test = self
        test.harness.join(room("ops"))
        test.harness.settle()
        test.harness.link(3, in: [room("ops")])
        test.writesAsMe(from: 3)
        let alerts = test.harness.node.status(at: test.harness.now).alerts
        #expect(alerts.map(\.code) == [.otherDevice] && alerts[0].text.contains(ada.shortText))
        #expect(test.harness.node.dialling.known[ada]?.person == personKeys(40, 41).publicKeys)
    }

    /// Gives the node a log of another device of its own person.
    private mutating func writesAsMe(from number: UInt8) {
        self.harness.settle()
        // Behind the certificate, which says since when this device is that person's.
        let time = HybridTime(wallMilliseconds: 1_767_225_600_001)
        let log = TestLog(signer(2), in: room("ops").conversation)
        self.harness.give(.liveRun(log.opening(at: time.rawValue).run), from: number)
        self.harness.settle()
    }

    @Test("no more people are known than may be")
    func bounded() {
        var test = self
        let others = (0..<Limits.people).map { index in
            let rest = [UInt8](repeating: 7, count: 30)
            return (
                PeerID(fixed32([UInt8(index >> 8), UInt8(index & 255)] + rest)), Standing.known
            )
        }
        test.harness.node.settleStandings(Dictionary(uniqueKeysWithValues: others))
        #expect(test.answer(to: 100, .stand(ada, .known)) == [.failed(.tooManyPeople)])
        #expect(test.answer(to: 101, .stand(ada, .unsaid)) == [.standing(ada, .unsaid)])
    }

    // Shows: shown.blocked
    @Test(
        "who is blocked has no link, no request and no conversation, until they are blocked no longer"
    )
    func blocked() {
        var test = self
        test.meet("Cleo", "Dora")
        #expect(test.answer(to: 100, .stand(ada, .blocked)) == [.standing(ada, .blocked)])
        #expect(test.harness.node.tier(of: ada) == .blocked)
        #expect(test.harness.node.links.id(of: ada) == nil)
        #expect(test.harness.node.dialling.targets[.remembered(ada)] == nil)
        #expect(test.harness.node.links.id(of: other) != nil)
        test.harness.link(2, in: [room("ops")])
        test.harness.settle()
        #expect(test.harness.node.links.id(of: ada) == nil)
        #expect(test.answer(to: 101, .beginDirect(ada)) == [.failed(.blocked(ada))])
        _ = test.answer(to: 102, .stand(ada, .unsaid))
        test.harness.link(2, in: [room("ops")])
        test.harness.settle()
        #expect(test.harness.node.links.id(of: ada) != nil)
    }

    @Test("what is written to somebody who was forgotten goes on in the same log")
    func forgotten() throws {
        var test = self
        test.meet("Cleo", "Dora")
        guard case .joined(let id)? = test.answer(to: 100, .beginDirect(ada)).first else {
            Issue.record("nothing was begun")
            return
        }
        func send(_ request: UInt64) -> [Answer] {
            test.answer(to: request, .send(Outgoing(conversation: id, text: "text")))
        }
        _ = send(101)
        _ = test.answer(to: 102, .arrange(id, ArrangementChange(adding: .muted)))
        #expect(test.answer(to: 103, .forget(ada)) == [.standing(ada, .unsaid)])
        #expect(test.harness.node.conversationStatus(of: id) == nil)
        #expect(send(104) == [.failed(.notMember)])
        #expect(test.answer(to: 105, .beginDirect(ada)) == [.joined(id)])
        #expect(test.harness.node.conversationStatus(of: id)?.arrangement == [])
        _ = send(106)
        let key = LogKey(conversation: id, name: test.harness.node.ownLog)
        // Its opening, and a text before and behind.
        #expect(test.harness.disk[key]?.map(\.first) == [1, 2, 3])
    }

    @Test("nothing is sent to somebody who is blocked, also where the two have written before")
    func blockedLater() throws {
        var test = self
        test.meet("Cleo", "Dora")
        let begun = test.answer(to: 100, .beginDirect(ada))
        let id = try #require(test.harness.node.begunDirect(with: ada))
        #expect(begun == [.joined(id)])
        _ = test.answer(to: 101, .stand(ada, .blocked))
        let outgoing = Outgoing(conversation: id, text: "hello?")
        #expect(test.answer(to: 102, .send(outgoing)) == [.failed(.blocked(ada))])
        _ = test.answer(to: 103, .stand(ada, .unsaid))
        #expect(test.answer(to: 104, .send(outgoing)) != [.failed(.blocked(ada))])
    }

    @Test(
        "another key under the name of somebody known is told of, and one under any other name is not"
    )
    func namesake() {
        var test = self
        test.meet("Cleo", "Dora")
        _ = test.answer(to: 100, .stand(ada, .known))
        func rename(_ name: String) -> [Alert.Code] {
            let time = HybridTime(wallMilliseconds: test.harness.now.wall + 1)
            let record = Record(
                kind: Record.Kind.profile, author: other, conversation: nil, time: time,
                value: Profile(name: name, status: "").encoded, signer: signer(3))
            test.harness.pass(milliseconds: 2)
            test.harness.give(.records([record]), from: 3)
            test.harness.settle()
            return test.harness.node.status(at: test.harness.now).alerts.map(\.code)
        }
        #expect(rename("Eve") == [])
        #expect(rename("\u{421}leo") == [.namesake])
        #expect(test.harness.node.tier(of: other) == .stranger)
        #expect(test.harness.node.isAmbiguous(other) && !test.harness.node.isAmbiguous(ada))
    }

    // Shows: shown.verified
    @Test("who reads the code of the two aloud is verified, and nobody by another one")
    func verified() throws {
        var test = self
        test.meet("Cleo", "Dora")
        let code = try #require(test.harness.node.verificationCode(with: ada))
        let another = VerificationCode(personKeys(1, 2).id, personKeys(3, 4).id)
        let wrong = [another.digits, another.words, "", String(code.digits.dropLast())]
        for (number, typed) in wrong.enumerated() {
            let answer = test.answer(to: 200 + UInt64(number), .verify(ada, code: typed))
            #expect(answer == [.failed(.codesDiffer(ada))])
            #expect(test.harness.node.tier(of: ada) == .stranger)
        }
        #expect(
            test.answer(to: 101, .verify(ada, code: code.words.uppercased()))
                == [.standing(ada, .verified)])
        #expect(test.harness.node.tier(of: ada) == .verified)
        #expect(test.harness.node.tier(of: other) == .stranger)
    }

    // Shows: shown.verified
    @Test(
        "the code is the same on both sides, thirty digits or eight words, and tells persons apart")
    func code() {
        let (one, two, three) = (personKeys(1, 2).id, personKeys(3, 4).id, personKeys(5, 6).id)
        let code = VerificationCode(one, two)
        #expect(code == VerificationCode(two, one))
        #expect(code.digits.split(separator: " ").map(\.count) == Array(repeating: 5, count: 6))
        #expect(code.words.split(separator: " ").count == 8)
        #expect(code.matches(code.digits.filter { $0 != " " }) && code.matches(" \(code.words)\n"))
        let others = [VerificationCode(one, three), VerificationCode(two, three)]
        for other in others {
            #expect(other.digits != code.digits && other.words != code.words)
            #expect(!code.matches(other.digits) && !code.matches(other.words))
        }
    }

    @Test("the devices of a person that have written are found from each of them")
    func writingDevices() {
        var harness = Harness()
        let ops = room("ops")
        harness.link(2, of: personKeys(40, 41), in: [ops])
        harness.join(ops)
        harness.settle()
        for number: UInt8 in [2, 3] {
            // All logs of tests begin with the certificate of one person.
            let log = TestLog(signer(number), in: ops.conversation)
            harness.give(.liveRun(log.opening(at: 1).run), from: 2)
            harness.settle()
        }
        let two = harness.node.writingDevices(of: Harness.peer(2))
        #expect(two.first == Harness.peer(2) && two.contains(Harness.peer(3)))
        #expect(harness.node.writingDevices(of: Harness.peer(9)) == [Harness.peer(9)])
    }
}
