import Testing

@testable import Engine
@testable import Formats

/// A log of which the first entry is here and three peers say to have four more.
@Suite("Who says to have entries and does not send them") struct SlowPeerTests {
    private static let ops = room("ops")
    private static let peers: [UInt8] = [2, 3, 4]
    private static let log = TestLog(signer(20), in: Self.ops.conversation)

    private var harness = Harness()
    private let rest: VerifiedRun

    init() {
        let opening = Self.log.opening()
        self.rest = Self.log.run(
            (1...4).map { TestLog.text("\($0)", at: $0 << 16) }, first: 2, prev: opening.ids[0])
        self.harness.join(Self.ops)
        self.harness.settle()
        for peer in Self.peers { self.harness.link(peer, in: [Self.ops]) }
        self.harness.give(.liveRun(opening.run), from: Self.peers[0])
        self.harness.settle()
        for peer in Self.peers { _ = self.harness.take(from: peer) }
        let row = ClockRow(
            tag: Harness.tags.log(Self.log.key.name, in: Self.ops.conversation), state: .open,
            seq: 5, headTag: Harness.tags.head(self.rest.head.id, by: .initiator))
        for peer in Self.peers {
            self.harness.give(.delta(Self.ops.conversation, [row]), from: peer)
        }
    }

    /// Who was asked since this was called last.
    private mutating func asked() -> [UInt8] {
        Self.peers.filter { Self.isAsked(self.harness.take(from: $0)) }
    }

    private static func isAsked(_ frames: [Frame]) -> Bool {
        frames.contains { if case .want(let want) = $0 { want.from == 2 } else { false } }
    }

    @Test("each is asked half a second after the one before, and again after ten seconds")
    func turns() {
        var test = self
        let (slow, over) = (Limits.slowWantMilliseconds, Limits.wantMilliseconds)
        // The last one is believed no longer when its time is over.
        let turns: [(wait: UInt64, asked: [UInt8])] = [
            (0, [2]), (slow - 1, []), (1, [3]), (slow, [4]), (over - 1, []), (1, [2]),
            (slow, [3]), (slow, []),
        ]
        for (number, turn) in turns.enumerated() {
            test.harness.pass(milliseconds: turn.wait)
            #expect(test.asked() == turn.asked, "turn \(number)")
        }
        #expect(test.harness.node.excess == nil)
    }

    @Test("what the slow one sends at last is taken, and nobody is asked again")
    func late() {
        var test = self
        _ = test.asked()
        test.harness.pass(milliseconds: Limits.slowWantMilliseconds)
        #expect(test.asked() == [3])
        for peer in [2, 3] as [UInt8] { test.harness.give(.syncRun(test.rest.run), from: peer) }
        test.harness.settle()
        #expect(test.harness.node.audit.logs[Self.log.key]?.head.seq == 5)
        test.harness.pass(milliseconds: 2 * Limits.wantMilliseconds)
        #expect(test.asked().isEmpty)
        #expect(test.harness.node.audit.open.isEmpty)
    }

    @Test("who was slow is asked last of all, until something comes of what they are asked for")
    func last() {
        var test = self
        _ = test.asked()
        test.harness.pass(milliseconds: Limits.slowWantMilliseconds)
        _ = test.asked()
        let wants = Self.peers.map { test.harness.node.links[LinkID(UInt64($0))].wants.missed }
        #expect(wants == [1, 0, 0])
    }

    @Test("where nobody else has it, the one who has is waited for")
    func alone() {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        harness.link(2, in: [Self.ops])
        harness.give(.liveRun(Self.log.opening().run), from: 2)
        harness.settle()
        let row = ClockRow(
            tag: Harness.tags.log(Self.log.key.name, in: Self.ops.conversation), state: .open,
            seq: 5, headTag: Harness.tags.head(self.rest.head.id, by: .initiator))
        harness.give(.delta(Self.ops.conversation, [row]), from: 2)
        #expect(Self.isAsked(harness.take(from: 2)))
        harness.pass(milliseconds: 2 * Limits.slowWantMilliseconds)
        #expect(!Self.isAsked(harness.take(from: 2)))
    }
}
