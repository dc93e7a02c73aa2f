import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("What is held because it is ahead of time") struct HeldElsewhereTests {
    private static let ops = room("ops")
    private static let hour: UInt64 = 3_600_000

    /// A node whose clock is an hour ahead of those of its peers.
    private static func ahead(peers: ClosedRange<UInt8> = 2...2) throws -> Harness {
        var harness = Harness()
        harness.now.wall = 100 * Self.hour
        for number in peers { harness.link(number, in: [Self.ops]) }
        harness.join(Self.ops)
        harness.settle()
        for number in peers {
            let row = try harness.ownRow(in: Self.ops)
            harness.give(.delta(Self.ops.conversation, [row]), from: number)
            let clock = harness.now.wall - Self.hour
            harness.give(.ping(nonce: 1, clock: clock), from: number)
            for case .ping(let nonce, _) in harness.take(from: number) {
                harness.give(.pong(nonce: nonce, clock: clock), from: number)
            }
        }
        return harness
    }

    private static func send(
        _ harness: inout Harness, to goal: DeliveryGoal = .members(1), by deadline: UInt64
    ) {
        let outgoing = Outgoing(
            conversation: Self.ops.conversation, text: "early",
            wait: DeliveryWait(goal, by: deadline))
        harness.give(.request(RequestID(100), .send(outgoing)))
        harness.settle()
    }

    /// A peer says that it has all of the own log, and holds what comes behind an entry.
    private static func tell(
        _ harness: inout Harness, shown: UInt64?, by number: UInt8 = 2
    ) throws {
        var row = try harness.ownRow(in: Self.ops)
        row.shown = shown
        harness.give(.delta(Self.ops.conversation, [row]), from: number)
    }

    private static func alert(_ harness: Harness) -> String? {
        harness.node.status(at: harness.now).alerts.first { $0.code == .held }?.text
    }

    @Test("a message that peers hold is not delivered: its author hears until when, at once")
    func delivery() throws {
        var harness = try Self.ahead()
        Self.send(&harness, by: harness.now.monotonic + 30_000)
        try Self.tell(&harness, shown: 2)
        let answer = try #require(harness.answers(of: RequestID(100)).first)
        guard case .failed(.held(let held)) = answer else {
            Issue.record("\(answer)")
            return
        }
        #expect(held.heldBy == [Harness.peer(2)] && held.deliveredTo.isEmpty)
        #expect(held.until == 100 * Self.hour - Limits.aheadMilliseconds)
        // Of two clocks nobody knows which is wrong.
        #expect(held.ahead == "60 minutes" && !held.isOwnClockAhead)
    }

    @Test("when the time is up, what one holds is held, though others may not have it")
    func timeout() throws {
        var harness = try Self.ahead(peers: 2...3)
        Self.send(&harness, by: harness.now.monotonic + 30_000)
        try Self.tell(&harness, shown: 1, by: 3)
        #expect(harness.answers(of: RequestID(100)).isEmpty)
        harness.pass(milliseconds: 30_000)
        harness.give(.timer(.delivery))
        guard case .failed(.held(let held))? = harness.answers(of: RequestID(100)).first else {
            Issue.record("it is not said to be held")
            return
        }
        #expect(held.heldBy == [Harness.peer(3)] && held.isOwnClockAhead)
    }

    @Test(
        "where some hold it those who show it are told apart, and where none does it is delivered")
    func some() throws {
        var harness = try Self.ahead(peers: 2...3)
        Self.send(&harness, to: .members(2), by: harness.now.monotonic + 30_000)
        try Self.tell(&harness, shown: nil, by: 2)
        #expect(harness.answers(of: RequestID(100)).isEmpty)
        try Self.tell(&harness, shown: 1, by: 3)
        guard case .failed(.held(let held))? = harness.answers(of: RequestID(100)).first else {
            Issue.record("nothing is held")
            return
        }
        #expect(held.heldBy == [Harness.peer(3)] && held.deliveredTo == [Harness.peer(2)])
        harness = try Self.ahead()
        Self.send(&harness, by: harness.now.monotonic + 30_000)
        try Self.tell(&harness, shown: nil)
        guard
            case .sent(_, _, deliveredTo: [Harness.peer(2)])? = harness.answers(of: RequestID(100))
                .first
        else {
            Issue.record("it is not delivered")
            return
        }
    }

    @Test("its user is told what others do not see and until when, until they do")
    func alert() throws {
        var harness = try Self.ahead()
        harness.say("one", in: Self.ops)
        harness.say("two", in: Self.ops)
        harness.settle()
        try Self.tell(&harness, shown: 2)
        let text = try #require(Self.alert(harness))
        #expect(
            text.hasPrefix("your last 2 entries in ops are visible to others only from 1970-01-05"))
        #expect(text.contains("one person holds them; this machine's clock is 60 minutes ahead"))
        #expect(text.contains("correct the one that is wrong, here or there"))
        try Self.tell(&harness, shown: nil)
        #expect(Self.alert(harness) == nil)
        try Self.tell(&harness, shown: 2)
        harness.give(.linkClosed(LinkID(2), nil))
        #expect(Self.alert(harness) == nil)
    }

    @Test("a stranger raises no alarm beside somebody known, nor about what was never written")
    func strangers() throws {
        var harness = try Self.ahead(peers: 2...3)
        harness.say("one", in: Self.ops)
        harness.settle()
        var row = try harness.ownRow(in: Self.ops)
        (row.seq, row.shown) = (7_777, 1)
        harness.give(.delta(Self.ops.conversation, [row]), from: 2)
        #expect(Self.alert(harness) == nil)
        harness.give(.request(RequestID(200), .stand(Harness.peer(3), .known)))
        harness.settle()
        try Self.tell(&harness, shown: 1, by: 2)
        #expect(Self.alert(harness) == nil)
        try Self.tell(&harness, shown: 1, by: 3)
        #expect(Self.alert(harness) != nil)
    }

    @Test("what is held, shown and held again is said in the log once a minute")
    func thinned() throws {
        var harness = try Self.ahead()
        harness.say("one", in: Self.ops)
        harness.settle()
        func lines() -> Int { harness.logged.count { $0.contains("are visible to others only") } }
        for shown in [1, nil, 1, nil, 1] as [UInt64?] { try Self.tell(&harness, shown: shown) }
        let first = lines()
        harness.now.monotonic += Limits.alertNoticeMilliseconds
        try Self.tell(&harness, shown: nil)
        try Self.tell(&harness, shown: 1)
        #expect(first == 1 && lines() == 2)
    }

    @Test("who holds entries says so to their author, also after equal digests, and when it ends")
    func told() throws {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        harness.link(20, in: [Self.ops])
        let log = TestLog(signer(20), in: Self.ops.conversation)
        let now = harness.now.wall
        let opening = log.opening(at: HybridTime(wallMilliseconds: now).rawValue)
        let time = HybridTime(wallMilliseconds: now + Limits.aheadMilliseconds + 1_000).rawValue
        let text = log.run([TestLog.text("early", at: time)], first: 2, prev: opening.ids[0])
        harness.give(.liveRun(opening.run), from: 20)
        harness.give(.liveRun(text.run), from: 20)
        harness.settle()
        harness.passDelta()
        #expect(Self.rows(harness.take(from: 20), of: log.key).last == .some(1))
        #expect(harness.node.status(at: harness.now).held == 1)
        harness.give(.linkClosed(LinkID(20), nil))
        harness.link(20, in: [Self.ops])
        #expect(Self.rows(harness.take(from: 20), of: log.key).first == .some(1))
        harness.now.wall += 2_000
        harness.give(.timer(.release))
        harness.settle()
        harness.passDelta()
        #expect(Self.rows(harness.take(from: 20), of: log.key).last == .some(nil))
        #expect(harness.node.status(at: harness.now).held == 0)
    }

    /// What deltas say of a log: up to where it is shown.
    private static func rows(_ frames: [Frame], of key: LogKey) -> [UInt64?] {
        frames.flatMap { frame -> [ClockRow] in
            if case .delta(_, let rows) = frame { rows } else { [] }
        }.filter { $0.tag == Harness.tags.log(key.name, in: key.conversation) }.map(\.shown)
    }

    @Test(
        "a moment is written as people write it",
        arguments: [
            (0, "1970-01-01 00:00 UTC"), (951_782_399_999, "2000-02-28 23:59 UTC"),
            (951_782_400_000, "2000-02-29 00:00 UTC"), (1_795_346_880_000, "2026-11-22 11:28 UTC"),
            (4_107_542_400_000, "2100-03-01 00:00 UTC"), ((1 << 48) - 1, "10889-08-02 05:31 UTC"),
        ] as [(UInt64, String)])
    func moments(milliseconds: UInt64, text: String) {
        #expect(UTCTime.text(milliseconds) == text)
    }
}
