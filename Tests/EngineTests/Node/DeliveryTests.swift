import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Delivery, as members say it") struct DeliveryTests {
    private static let ops = room("ops")

    /// A node in a room with some peers, of whom its user knows some.
    private static func together(
        of peers: ClosedRange<UInt8> = 2...3, knowing known: [UInt8] = []
    ) -> Harness {
        var harness = Harness()
        for number in peers { harness.link(number, in: [Self.ops]) }
        harness.join(Self.ops)
        for number in known {
            harness.give(
                .request(RequestID(10 + UInt64(number)), .stand(Harness.peer(number), .known)))
        }
        harness.settle()
        return harness
    }

    private static func send(_ harness: inout Harness, to goal: DeliveryGoal) {
        let outgoing = Outgoing(
            conversation: Self.ops.conversation, text: "who has it?",
            wait: DeliveryWait(goal, by: harness.now.monotonic + 30_000))
        harness.give(.request(RequestID(100), .send(outgoing)))
        harness.settle()
    }

    /// A peer says how much it has of the own log.
    private static func claim(
        _ harness: inout Harness, by number: UInt8, seq: UInt64? = nil, headTag: UInt64? = nil
    ) throws {
        var row = try harness.ownRow(in: Self.ops)
        row.seq = seq ?? row.seq
        row.headTag = headTag ?? row.headTag
        harness.give(.delta(Self.ops.conversation, [row]), from: number)
    }

    private static func answer(_ harness: Harness) -> Answer? {
        harness.answers(of: RequestID(100)).first
    }

    private static func deliveredTo(_ harness: Harness) -> [PeerID]? {
        guard case .sent(_, _, let peers)? = Self.answer(harness) else { return nil }
        return peers
    }

    // Shows: shown.delivery
    @Test("who claims a message before there is one, by no tag at all, has not got it")
    func unproven() throws {
        var harness = Self.together()
        let seq = try harness.ownRow(in: Self.ops).seq
        try Self.claim(&harness, by: 2, seq: seq + 1, headTag: 0)
        Self.send(&harness, to: .members(1))
        #expect(Self.answer(harness) == nil)
        try Self.claim(&harness, by: 2, headTag: 0)
        #expect(Self.answer(harness) == nil)
        try Self.claim(&harness, by: 2)
        #expect(Self.deliveredTo(harness) == [Harness.peer(2)])
    }

    // Shows: shown.delivery
    @Test("where somebody is known a stranger delivers nothing, and its silence delays nothing")
    func strangers() throws {
        var harness = Self.together(knowing: [3])
        Self.send(&harness, to: .members(1))
        try Self.claim(&harness, by: 2)
        #expect(Self.answer(harness) == nil)
        try Self.claim(&harness, by: 3)
        #expect(Self.deliveredTo(harness) == [Harness.peer(2), Harness.peer(3)].sorted())
        harness = Self.together(knowing: [3])
        Self.send(&harness, to: .members(1))
        try Self.claim(&harness, by: 3)
        #expect(Self.deliveredTo(harness) == [Harness.peer(3)])
        harness = Self.together(knowing: [3])
        Self.send(&harness, to: .named([Harness.peer(2)]))
        try Self.claim(&harness, by: 3)
        #expect(Self.answer(harness) == nil)
        try Self.claim(&harness, by: 2)
        #expect(Self.deliveredTo(harness)?.count == 2)
    }

    // Shows: shown.delivery
    @Test("who claims more than there is, or another entry, has nothing")
    func lies() throws {
        let lies: [(UInt64?, UInt64?)] = [(1 << 40, nil), (nil, 7), (1 << 40, 7)]
        for (seq, headTag) in lies {
            var harness = Self.together(of: 2...2)
            Self.send(&harness, to: .members(1))
            try Self.claim(&harness, by: 2, seq: seq, headTag: headTag)
            #expect(Self.answer(harness) == nil)
        }
        // An entry before the head is shown by its own tag, not by another one.
        var harness = Self.together(of: 2...2)
        Self.send(&harness, to: .members(1))
        let before = try harness.ownRow(in: Self.ops)
        harness.say("one more", in: Self.ops)
        harness.settle()
        try Self.claim(&harness, by: 2, seq: before.seq)
        #expect(Self.answer(harness) == nil)
        harness.give(.delta(Self.ops.conversation, [before]), from: 2)
        #expect(Self.deliveredTo(harness) == [Harness.peer(2)])
    }

    @Test("all are those whom the user knows, linked or not; where none is, it is refused")
    func all() throws {
        var harness = Self.together(knowing: [2, 3])
        let log = TestLog(signer(3), in: Self.ops.conversation)
        let opening = log.opening(of: personKeys(60, 61))
        let join = log.run(
            [TestLog.entry(.join(Self.ops.name), at: 2)], first: 2, prev: opening.ids[0])
        for run in [opening, join] { harness.give(.liveRun(run.run), from: 3) }
        harness.settle()
        harness.give(.linkClosed(LinkID(3), nil))
        Self.send(&harness, to: .all)
        try Self.claim(&harness, by: 2)
        #expect(Self.answer(harness) == nil)
        harness.now.monotonic += 30_000
        harness.give(.timer(.delivery))
        guard case .failed(.deliveryTimeout(_, _, let have, let lack))? = Self.answer(harness)
        else {
            Issue.record("the time is over")
            return
        }
        #expect(have == [Harness.peer(2)] && lack == [Harness.peer(3)])
        harness = Self.together()
        Self.send(&harness, to: .all)
        #expect(Self.answer(harness) == .failed(.nobodyKnown))
        #expect(harness.node.disk.commits.drafts.isEmpty)
        harness = Self.together()
        Self.send(&harness, to: .named([Harness.peer(2), Harness.peer(9)]))
        #expect(Self.answer(harness) == .failed(.notInRoom([Harness.peer(9)])))
    }
}
