import Crypto
import Testing

@testable import Engine
@testable import Formats

/// Leaving a room: the others learn of it, however late, and the room is silent only then.
@Suite("Leaving a room") struct LeaveTests {
    private static let ops = room("ops")

    /// A node in a room that also holds an entry of bob's, and is linked to bob or not.
    private static func joined(isLinked: Bool) -> Harness {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        harness.link(2, in: [Self.ops])
        let log = TestLog(signer(2), in: Self.ops.conversation)
        let time = HybridTime(wallMilliseconds: harness.now.wall).rawValue
        let opening = log.opening(at: time)
        let join = TestLog.entry(.join(Self.ops.name), at: time + 1)
        harness.give(.liveRun(opening.run), from: 2)
        harness.give(.liveRun(log.run([join], first: 2, prev: opening.ids[0]).run), from: 2)
        harness.settle()
        if !isLinked { harness.give(.linkClosed(LinkID(2), nil)) }
        _ = harness.take(from: 2)
        return harness
    }

    private static func leave(_ harness: inout Harness) {
        harness.give(.request(RequestID(99), .leave(Self.ops.conversation)))
        harness.settle()
    }

    /// Whether a run ends with a leave.
    private static func isLeave(_ run: Run) -> Bool {
        let verified = VerifiedRun(run: run, ids: run.ids)
        return Keyring().read(verified.envelope(at: run.entries.count - 1)).content == .leave
    }

    private static func isLeft(_ frames: [Frame]) -> Bool {
        frames.contains { if case .roomsLeft = $0 { true } else { false } }
    }

    @Test("a linked peer is pushed the leave, and told that the room is left once it has it")
    func pushed() throws {
        var harness = Self.joined(isLinked: true)
        try Self.claim(2, from: 2, &harness)
        Self.leave(&harness)
        let runs = harness.pushed(to: 2)
        #expect(runs.last.map(Self.isLeave) == true)
        let sent = harness.take(from: 2)
        #expect(!Self.isLeft(sent))
        try Self.claim(runs.last?.last ?? 0, from: 2, &harness)
        #expect(Self.isLeft(harness.take(from: 2)))
    }

    @Test("a peer that was away gets the leave when it comes back")
    func away() throws {
        var harness = Self.joined(isLinked: false)
        Self.leave(&harness)
        harness.link(2, in: [Self.ops])
        let sent = harness.take(from: 2)
        #expect(
            sent.contains { if case .rooms(_, [Self.ops.name]) = $0 { true } else { false } })
        try Self.claim(2, from: 2, &harness)
        harness.settle()
        #expect(harness.pushed(to: 2).last.map(Self.isLeave) == true)
        try Self.claim(3, from: 2, &harness)
        #expect(Self.isLeft(harness.take(from: 2)))
        #expect(harness.node.joinedConversations.isEmpty)
    }

    @Test("a peer that was sent the join gets the leave, though its own join has not come yet")
    func crossed() throws {
        var harness = Harness()
        harness.link(2, in: [Self.ops])
        harness.join(Self.ops)
        harness.settle()
        let joined = harness.pushed(to: 2).last?.last ?? 0
        #expect(joined == 2)
        _ = harness.take(from: 2)
        Self.leave(&harness)
        let runs = harness.pushed(to: 2)
        #expect(runs.last.map(Self.isLeave) == true)
        #expect(!Self.isLeft(harness.take(from: 2)))
        try Self.claim(runs.last?.last ?? 0, from: 2, &harness)
        #expect(Self.isLeft(harness.take(from: 2)))
    }

    @Test("a room that nobody else is in is left at once")
    func alone() {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        harness.link(2, in: [Self.ops])
        _ = harness.take(from: 2)
        Self.leave(&harness)
        #expect(Self.isLeft(harness.take(from: 2)))
    }

    @Test("two who have both left while they were apart do not wait for each other for ever")
    func both() throws {
        var harness = Self.joined(isLinked: false)
        Self.leave(&harness)
        harness.link(2, in: [Self.ops])
        _ = harness.take(from: 2)
        // What bob has beside his leave does not matter: he takes nothing of this node's.
        let theirs = ConversationDigest(logs: fixed32(1), records: fixed32(2))
        harness.give(.digest(Self.ops.conversation, theirs), from: 2)
        #expect(!Self.isLeft(harness.take(from: 2)), "he may ask for the leave")
        harness.give(.digest(Self.ops.conversation, theirs), from: 2)
        #expect(Self.isLeft(harness.take(from: 2)))
        #expect(harness.node.joinedConversations.isEmpty)
    }

    @Test("who has left waits for a member who is away, whatever another does not take")
    func third() throws {
        var harness = Self.joined(isLinked: false)
        harness.link(3, in: [Self.ops])
        let log = TestLog(signer(3), in: Self.ops.conversation)
        let time = HybridTime(wallMilliseconds: harness.now.wall).rawValue
        let opening = log.opening(at: time)
        let join = TestLog.entry(.join(Self.ops.name), at: time + 1)
        harness.give(.liveRun(opening.run), from: 3)
        harness.give(.liveRun(log.run([join], first: 2, prev: opening.ids[0]).run), from: 3)
        harness.settle()
        Self.leave(&harness)
        _ = harness.take(from: 3)
        let theirs = ConversationDigest(logs: fixed32(1), records: fixed32(2))
        for _ in 0..<3 { harness.give(.digest(Self.ops.conversation, theirs), from: 3) }
        #expect(!Self.isLeft(harness.take(from: 3)))
    }

    @Test("nothing of others is taken after the leave, and a join takes it back")
    func back() {
        var harness = Self.joined(isLinked: true)
        Self.leave(&harness)
        let log = TestLog(signer(3), in: Self.ops.conversation)
        let time = HybridTime(wallMilliseconds: harness.now.wall).rawValue
        harness.give(.liveRun(log.run([TestLog.text("late", at: time)]).run), from: 2)
        #expect(harness.batch == nil)
        harness.join(Self.ops)
        harness.settle()
        #expect(harness.conversations.map(\.kind.room) == [Self.ops])
        #expect(!Self.isLeft(harness.take(from: 2)))
    }

    /// Lets a peer say how much it has of the own log.
    private static func claim(_ seq: UInt64, from number: UInt8, _ harness: inout Harness) throws {
        let row = try harness.ownRow(seq, in: Self.ops)
        harness.give(.delta(Self.ops.conversation, [row]), from: number)
        harness.settle()
    }
}
