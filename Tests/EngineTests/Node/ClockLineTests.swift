import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("A conversation's clock") struct ClockLineTests {
    private static let ops = room("ops")
    private static let conversation = ops.conversation
    private static let log = TestLog(signer(3), in: conversation)

    private static func moment(_ milliseconds: UInt64) -> UInt64 {
        HybridTime(wallMilliseconds: 900_000 + milliseconds).rawValue
    }

    private static func row(_ seq: UInt64) -> ClockRow {
        ClockRow(
            tag: Harness.tags.log(Self.log.key.name, in: Self.conversation), state: .open,
            seq: seq, headTag: 7)
    }

    /// A node to which peer 2 has brought two entries of peer 3; peer 4 is there, too.
    private static func together() -> Harness {
        var harness = Harness()
        for number: UInt8 in [2, 4] { harness.link(number, in: [Self.ops]) }
        harness.join(Self.ops)
        harness.settle()
        let opening = Self.log.opening(at: Self.moment(0))
        let join = Self.log.run(
            [TestLog.entry(.join(Self.ops.name), at: Self.moment(1))], first: 2,
            prev: opening.ids[0])
        for run in [opening, join] {
            harness.give(.liveRun(run.run), from: 2)
            harness.settle()
        }
        return harness
    }

    /// What peers 2 and 4 have of the log of peer 3.
    private static func told(_ harness: Harness) -> [UInt64?] {
        let members = harness.node.clockMembers(of: Self.conversation)
        let line = harness.node.clockLine(Self.log.key.name, of: Self.conversation, at: members)
        #expect(line.here == 2 && line.whole == 2 && !line.isForked)
        return [UInt8(2), 4].map { number in
            members.firstIndex(of: Harness.peer(number)).flatMap { line.members[$0] }
        }
    }

    @Test("it says what each linked member told last, and nothing of one that has told nothing")
    func told() throws {
        var harness = Self.together()
        let logs = try #require(harness.node.clockLogs(of: Self.conversation))
        #expect(Set(logs) == [Self.log.key.name, harness.node.ownLog])
        #expect(Self.told(harness) == [nil, nil])
        harness.give(.delta(Self.conversation, [Self.row(9)]), from: 2)
        harness.give(.clock(Self.conversation, Harness.pages([])), from: 4)
        #expect(Self.told(harness) == [9, 0])
        harness.give(.delta(Self.conversation, [Self.row(1)]), from: 4)
        #expect(Self.told(harness) == [9, 1])
        // Who is gone says nothing any longer.
        harness.give(.linkClosed(LinkID(4), nil))
        #expect(harness.node.clockMembers(of: Self.conversation) == [Harness.peer(2)])
        #expect(harness.node.clockLogs(of: room("none").conversation) == nil)
    }

    @Test("a digest that equals the own one says all, until a log moves on or the member has less")
    func equal() throws {
        var harness = Self.together()
        let digest = try #require(harness.ownDigest(of: Self.ops))
        harness.give(.digest(Self.conversation, digest), from: 4)
        #expect(Self.told(harness) == [nil, 2])
        let members = [Harness.peer(4)]
        let own = harness.node.ownLog
        let before = harness.node.clockLine(own, of: Self.conversation, at: members)
        #expect(before.members == [before.here])
        harness.say("one more", in: Self.ops)
        harness.settle()
        let after = harness.node.clockLine(own, of: Self.conversation, at: members)
        #expect(after.here == before.here + 1 && after.members == [before.here])
        #expect(Self.told(harness) == [nil, 2])
        harness.give(.delta(Self.conversation, [Self.row(1)]), from: 4)
        #expect(Self.told(harness) == [nil, 1])
    }
}
