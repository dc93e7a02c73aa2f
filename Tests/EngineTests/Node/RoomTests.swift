import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("A room that is full") struct RoomTests {
    private static let ops = room("ops")
    private var harness: Harness

    /// Few logs are enough.
    init() {
        var bounds = LogBounds()
        (bounds.all, bounds.ofKnown, bounds.ofStranger) = (12, 6, 3)
        self.harness = Harness(bounds: bounds)
        self.harness.join(Self.ops)
        self.harness.settle()
        self.harness.link(2, of: personKeys(2, 41), in: [Self.ops])
        self.harness.link(3, of: personKeys(3, 41), in: [Self.ops])
        self.harness.settle()
    }

    private var conversation: Conversation {
        self.harness.node.conversations.table[known: Self.ops.conversation]
    }

    private func has(_ author: UInt8, _ incarnation: UInt64 = 1) -> Bool {
        self.conversation.logs.has(
            LogName(author: Harness.peer(author), incarnation: incarnation))
    }

    private func log(_ author: UInt8, _ incarnation: UInt64 = 1) -> TestLog {
        TestLog(signer(author), incarnation: incarnation, in: Self.ops.conversation)
    }

    /// A link brings the beginning of a log.
    private mutating func bring(
        _ author: UInt8, _ incarnation: UInt64 = 1, from link: UInt8, at time: UInt64 = 1 << 16,
        closes: [UInt64] = [], isWritten: Bool = true
    ) {
        let opening = LogOpening(
            certificate: personKeys(author, 41).certify(signer(author), at: 1_767_225_600_000),
            closes: closes)
        let run = self.log(author, incarnation).run([TestLog.entry(.open(opening), at: time)])
        self.harness.give(.liveRun(run.run), from: link)
        if isWritten { self.harness.settle() }
    }

    /// Fills the room from one link with logs of authors who are nobody.
    private mutating func fill(from link: UInt8) {
        var author: UInt8 = 100
        while self.conversation.logs.count < 12 {
            self.bring(author, from: link)
            author += 1
        }
    }

    // Shows: daemon.rooms
    @Test("who comes from elsewhere is taken, and the newest of the flood gives way")
    func elsewhere() {
        var test = self
        test.fill(from: 2)
        let count = test.conversation.logs.count { $0.key.author != test.harness.node.id }
        test.bring(50, from: 3)
        #expect(test.has(50) && test.conversation.logs.count == 12)
        #expect(!test.has(UInt8(100 + count - 1)) && test.has(100))
        #expect(test.harness.drops.count == 1)
        // It is not taken again, whoever brings it.
        test.bring(UInt8(100 + count - 1), from: 2)
        #expect(!test.has(UInt8(100 + count - 1)) && test.has(50))
        #expect(test.harness.node.status(at: test.harness.now).alerts.map(\.code) == [.crowded])
        #expect(test.harness.node.excess == nil)
    }

    // Shows: daemon.rooms
    @Test("an older time saves nobody, and a later one costs nobody their room")
    func claimedTime() {
        var test = self
        test.bring(60, from: 2, at: 9 << 16)
        test.fill(from: 2)
        test.bring(50, from: 3, at: 1 << 16)
        #expect(test.has(60) && test.has(50))
    }

    @Test("of a source with most logs none is taken more, whoever wrote them")
    func source() {
        var test = self
        test.fill(from: 2)
        let before = Set(test.conversation.logs.keys)
        test.bring(200, from: 2)
        test.bring(201, from: 2)
        #expect(Set(test.conversation.logs.keys) == before)
    }

    // Shows: daemon.rooms
    @Test("whom the user knows is taken from anywhere, and never gives way")
    func known() {
        var test = self
        test.harness.give(.request(RequestID(900), .stand(Harness.peer(50), .known)))
        test.harness.settle()
        test.bring(50, from: 2)
        test.fill(from: 2)
        test.bring(50, 2, from: 2)
        #expect(test.has(50, 1) && test.has(50, 2))
        for author in UInt8(150)..<170 { test.bring(author, from: 3) }
        #expect(test.has(50, 1) && test.has(50, 2))
        #expect(test.conversation.logs.count == 12)
    }

    @Test("who is linked is taken, and own messages are written")
    func linked() {
        var test = self
        test.fill(from: 2)
        test.bring(2, from: 2)
        #expect(test.has(2) && test.conversation.logs.count == 12)
    }

    @Test("what was refused is asked for once its author is known")
    func readmitted() {
        var test = self
        test.fill(from: 2)
        test.bring(210, from: 2)
        #expect(test.has(210) == false)
        test.harness.give(.request(RequestID(900), .stand(Harness.peer(210), .known)))
        test.harness.settle()
        test.bring(210, from: 2)
        #expect(test.has(210) == true)
    }

    @Test("what was refused is asked for once its author is linked")
    func linkedLater() {
        var test = self
        test.fill(from: 2)
        test.bring(5, from: 2)
        #expect(!test.has(5))
        test.harness.link(5, of: personKeys(5, 41), in: [Self.ops])
        test.harness.settle()
        let name = LogName(author: Harness.peer(5), incarnation: 1)
        #expect(test.conversation.takes(name))
        test.bring(5, from: 5)
        #expect(test.has(5))
    }

    @Test("who links while their log goes off the disk is asked for it again once it is gone")
    func whileGoing() {
        var test = self
        test.fill(from: 2)
        let newest = (UInt8(100)...120).last { test.has($0) } ?? 0
        test.bring(50, from: 3, isWritten: false)
        #expect(!test.has(newest))
        test.harness.link(newest, of: personKeys(newest, 41), in: [Self.ops])
        test.bring(newest, from: newest, isWritten: false)
        #expect(!test.has(newest))
        test.harness.settle()
        #expect(test.conversation.takes(LogName(author: Harness.peer(newest), incarnation: 1)))
        test.bring(newest, from: newest)
        #expect(test.has(newest))
    }

    @Test("whom the user knows is asked again once those who may give way are on the disk")
    func beforeTheDisk() {
        var test = self
        test.harness.give(.request(RequestID(50), .stand(Harness.peer(50), .known)))
        test.harness.settle()
        for author in UInt8(100)...112 { test.bring(author, from: 2, isWritten: false) }
        test.bring(50, from: 3, isWritten: false)
        #expect(!test.has(50) && test.conversation.logs.count == 12)
        test.harness.settle()
        test.bring(50, from: 3)
        #expect(test.has(50))
    }

    @Test("who has linked since it was last looked who may give way gives way no longer")
    func linkedSince() {
        var test = self
        test.fill(from: 2)
        // Looks.
        test.bring(50, from: 3)
        let newest = (UInt8(100)...120).last { test.has($0) } ?? 0
        test.harness.link(newest, of: personKeys(newest, 41), in: [Self.ops])
        test.harness.settle()
        test.bring(51, from: 3)
        #expect(test.has(51) && test.has(newest))
    }

    /// Peer 2 brings a log in which each log that strangers have here is answered.
    private mutating func answerAll(by author: UInt8) {
        // Days are counted from 1970 on.
        self.harness.now.wall = 20_000 * Limits.dayMilliseconds
        let name = LogName(author: Harness.peer(author), incarnation: 1)
        let head = self.conversation.log(name).head
        let others = self.conversation.logs.keys.sorted().filter {
            $0.author != self.harness.node.id && $0 != name
        }
        let answers = others.enumerated().map { number, other in
            TestLog.entry(
                .reply("yes", to: EntryTarget(log: other, seq: 1, id: EntryID(fixed32(9)))),
                at: HybridTime(wallMilliseconds: self.harness.now.wall).rawValue + UInt64(number))
        }
        let run = self.log(author).run(answers, first: 2, prev: head.id)
        self.harness.give(.liveRun(run.run), from: 2)
        self.harness.settle()
    }

    // Shows: daemon.rooms
    @Test("what a known person's node follows by itself protects nobody")
    func followed() {
        var test = self
        test.harness.give(.request(RequestID(51), .stand(Harness.peer(51), .known)))
        test.harness.settle()
        test.bring(51, from: 2)
        test.fill(from: 2)
        let name = LogName(author: Harness.peer(51), incarnation: 1)
        let head = test.conversation.log(name).head
        var entry = TestLog.text("to nobody", at: 9 << 16)
        entry.deps = test.conversation.logs.filter { $0.key.author != test.harness.node.id }
            .map(\.value.head.id).filter { $0 != head.id }.sorted()
        let run = test.log(51).run([entry], first: 2, prev: head.id)
        test.harness.give(.liveRun(run.run), from: 2)
        test.harness.settle()
        test.bring(60, from: 3)
        #expect(test.has(60) && test.conversation.logs.count == 12)
    }

    // Shows: daemon.rooms
    @Test("an answer protects a log for a month, and not for ever")
    func answeredLongAgo() {
        var test = self
        test.harness.give(.request(RequestID(51), .stand(Harness.peer(51), .known)))
        test.harness.settle()
        test.bring(51, from: 2)
        test.fill(from: 2)
        test.answerAll(by: 51)
        test.bring(60, from: 3)
        #expect(!test.has(60))
        test.harness.now.wall += (Limits.answeredDays + 2) * Limits.dayMilliseconds
        test.harness.now.monotonic += Limits.crowdMilliseconds
        test.bring(61, from: 3)
        #expect(test.has(61) && test.conversation.logs.count == 12)
    }

    @Test(
        "where all was answered that strangers wrote, whom the user knows and who is linked has room"
    )
    func answered() {
        var test = self
        for author in UInt8(50)...51 {
            test.harness.give(
                .request(RequestID(UInt64(author)), .stand(Harness.peer(author), .known)))
        }
        test.harness.settle()
        test.bring(51, from: 2)
        test.fill(from: 2)
        test.answerAll(by: 51)
        test.bring(50, from: 3)
        test.bring(3, from: 3)
        test.bring(60, from: 3)
        #expect(test.has(50) && test.has(3) && !test.has(60))
        #expect(test.conversation.logs.count == 12)
    }

    // Shows: daemon.incarnations
    @Test("over an author's budget the oldest closed log of the same author gives way")
    func budget() {
        var test = self
        for number in UInt64(1)...3 {
            test.bring(70, number, from: 2, at: number << 16, closes: Array(1..<number))
        }
        #expect(test.has(70, 1))
        test.bring(70, 4, from: 2, at: 4 << 16, closes: [1, 2, 3])
        #expect(!test.has(70, 1) && test.has(70, 2) && test.has(70, 4))
        // Whoever catches up may be brought the oldest last: it does not push newer ones out.
        test.bring(70, 1, from: 3, at: 1 << 16)
        #expect(!test.has(70, 1) && test.has(70, 2))
    }

    @Test("an author who closes nothing is heard no more, and nobody else suffers")
    func unclosed() {
        var test = self
        for number in UInt64(1)...5 { test.bring(70, number, from: 2, at: number << 16) }
        test.bring(71, from: 2)
        #expect(test.has(70, 3) && !test.has(70, 4) && test.has(71))
    }

    @Test("the author of what is refused is told, and the user whom most refuse")
    func told() throws {
        var test = self
        test.harness.say("hello", in: Self.ops)
        test.harness.settle()
        let own = test.harness.node.ownLog
        let row = ClockRow(
            tag: Harness.tags.log(own, in: Self.ops.conversation), state: .refused, seq: 0,
            headTag: 0)
        test.harness.give(.delta(Self.ops.conversation, [row]), from: 2)
        #expect(
            test.harness.node.status(at: test.harness.now).alerts.map(\.code) == [.refused])
        let taken = try test.harness.ownRow(in: Self.ops)
        test.harness.give(.delta(Self.ops.conversation, [taken]), from: 2)
        #expect(test.harness.node.status(at: test.harness.now).alerts.isEmpty)
    }
}
