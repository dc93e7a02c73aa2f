import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Clocks of strangers") struct StrangeClockTests {
    private static let ops = room("ops")
    private static let year: UInt64 = 365 * 86_400_000

    /// A node in a room with three peers whose clocks are so far ahead.
    private static func beset(by lead: UInt64) -> Harness {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        for number in UInt8(2)...4 {
            harness.link(number, in: [Self.ops])
            let clock = harness.now.wall + lead
            harness.give(.ping(nonce: 1, clock: clock), from: number)
            for case .ping(let nonce, _) in harness.take(from: number) {
                harness.give(.pong(nonce: nonce, clock: clock), from: number)
            }
        }
        harness.settle()
        return harness
    }

    /// A log of a stranger with one message, so far ahead.
    private static func message(
        _ text: String, ahead: UInt64, by number: UInt8 = 20, deps: [EntryID] = [],
        to harness: inout Harness
    ) -> EntryID {
        let log = TestLog(signer(number), in: Self.ops.conversation)
        let time = HybridTime(wallMilliseconds: harness.now.wall + ahead).rawValue
        let opening = log.opening(at: time - 1)
        harness.give(.liveRun(opening.run), from: 2)
        let run = log.run(
            [TestLog.text(text, at: time, deps: deps)], first: 2, prev: opening.ids[0])
        harness.give(.liveRun(run.run), from: 2)
        harness.settle()
        return run.ids[0]
    }

    /// The entries that the node writes next.
    private static func written(_ harness: inout Harness) -> [Entry] {
        harness.say("own", in: Self.ops)
        let own = harness.node.id
        let appends = harness.batch?.appends.filter { $0.run.run.key.name.author == own } ?? []
        harness.settle()
        return appends.flatMap(\.run.run.entries)
    }

    // Shows: shown.clock
    @Test("count for nothing: own entries are of the own time, and what is ahead is held")
    func now() {
        var harness = Self.beset(by: Self.year)
        #expect(Self.written(&harness).last?.time.milliseconds == harness.now.wall)
        let log = TestLog(signer(20), in: Self.ops.conversation)
        let ahead = HybridTime(wallMilliseconds: harness.now.wall + Self.year).rawValue
        harness.give(.liveRun(log.opening(at: ahead).run), from: 2)
        #expect(harness.batch?.appends.first?.heldFrom == 0)
        harness.settle()
        let codes = harness.node.status(at: harness.now).alerts.map(\.code)
        #expect(codes == [.clock])
    }

    @Test("what they date a minute ahead is followed, what they date further is not")
    func followed() {
        var harness = Self.beset(by: 0)
        let near = Self.message("near", ahead: 60_000, by: 20, to: &harness)
        let far = Self.message("far", ahead: 61_000, by: 21, to: &harness)
        let limit = harness.now.wall + Limits.followedMilliseconds
        let entries = Self.written(&harness)
        #expect(entries.last?.deps == [near])
        #expect(entries.last.map { $0.time.milliseconds <= limit } == true)
        harness.pass(milliseconds: 2_000)
        #expect(Self.written(&harness).last?.deps == [far])
    }

    @Test("a log that goes back in time is not even known by its name")
    func before() throws {
        var harness = Self.beset(by: 0)
        func count() throws -> Int {
            try #require(harness.node.conversations.table[Self.ops.conversation]).numbers.count
        }
        let before = try count()
        let log = TestLog(signer(20), in: Self.ops.conversation)
        harness.give(.syncRun(log.run([TestLog.text("never", at: 0)]).run), from: 2)
        #expect(!harness.node.links.has(LinkID(2)))
        #expect(try count() == before)
    }

    // Shows: shown.clock
    @Test("nobody can make own messages stand before what they answer")
    func answers() throws {
        var harness = Self.beset(by: 0)
        let question = Self.message("question", ahead: 30_000, by: 20, to: &harness)
        _ = Self.message("hides it", ahead: 250_000, by: 21, deps: [question], to: &harness)
        _ = Self.message("older than it", ahead: 0, by: 22, deps: [question], to: &harness)
        let answer = try #require(Self.written(&harness).last)
        #expect(answer.deps.contains(question))
        #expect(answer.time.milliseconds >= harness.now.wall + 30_000)
    }

    @Test("an answer is later than what it answers, as far as others would show it")
    func answersBehindTheClock() throws {
        var harness = Self.beset(by: 0)
        _ = Self.written(&harness)
        let now = harness.now.wall
        func answer(_ ahead: UInt64) throws -> HybridTime {
            let target = EntryTarget(
                log: harness.node.ownLog, seq: 2, id: EntryID(fixed32(1)))
            let time = HybridTime(wallMilliseconds: now + ahead)
            harness.give(
                .request(
                    RequestID(900 + ahead),
                    .send(
                        Outgoing(
                            conversation: Self.ops.conversation, content: .reply("yes", to: target),
                            answers: time))))
            let own = harness.node.id
            let written = harness.batch?.appends.last { $0.run.run.key.name.author == own }
            harness.settle()
            return try #require(written?.run.run.entries.last?.time)
        }
        let incarnation = harness.node.ownLog.incarnation
        let (first, second) = (try answer(150_000), try answer(160_000))
        #expect(first > HybridTime(wallMilliseconds: now + 150_000))
        #expect(second > HybridTime(wallMilliseconds: now + 160_000))
        #expect(second.milliseconds <= now + 160_001)
        #expect(harness.node.ownLog.incarnation == incarnation)
        // What nobody would show yet is not followed, and the log begins anew for what answers nothing.
        #expect(try answer(301_000).milliseconds <= now + 1)
        #expect(harness.node.ownLog.incarnation != incarnation)
    }

    // Shows: shown.clock
    @Test("nobody can force a new incarnation")
    func incarnation() {
        var harness = Self.beset(by: Self.year)
        let incarnation = harness.node.ownLog.incarnation
        for (round, ahead) in [59_999, 60_000, 119_999, 295_000, 300_000, Self.year].enumerated() {
            _ = Self.message("x", ahead: ahead, by: UInt8(30 + round), to: &harness)
            for _ in 0..<3 { _ = Self.written(&harness) }
        }
        #expect(harness.node.ownLog.incarnation == incarnation)
    }

    @Test("an own clock that is set back goes on, by more than the rest of two minutes anew")
    func setBack() {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        let incarnation = harness.node.ownLog.incarnation
        harness.now.wall -= Limits.ownAheadMilliseconds - 1
        let entries = Self.written(&harness)
        #expect(harness.node.ownLog.incarnation == incarnation && entries.count == 1)
        harness.now.wall -= 2
        let anew = Self.written(&harness)
        #expect(harness.node.ownLog.incarnation != incarnation && anew.count == 2)
        #expect(anew.last?.time.milliseconds == harness.now.wall)
    }

    @Test("what is dated ahead makes nothing else late")
    func late() {
        var harness = Self.beset(by: 0)
        harness.pass(milliseconds: 2 * Limits.lateMilliseconds)
        _ = Self.message("ahead", ahead: 299_000, to: &harness)
        let log = TestLog(signer(21), in: Self.ops.conversation)
        let time = HybridTime(wallMilliseconds: harness.now.wall).rawValue
        harness.give(.liveRun(log.opening(at: time).run), from: 2)
        let lateBefore = harness.batch?.appends.first?.lateBefore ?? HybridTime(.max)
        #expect(lateBefore.milliseconds + Limits.lateMilliseconds <= harness.now.wall)
    }
}
