import Crypto
import TestSupport
import Testing

@testable import Engine

@Suite("Commits that fail") struct FailedCommitTests {
    private static let ops = room("ops")

    @Test("how much of a conversation is kept stays as it was where the disk refuses another bound")
    func retention() {
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        let (id, size) = (Self.ops.conversation, Retention(bytes: 1_000))
        harness.give(.request(RequestID(90), .retain(id, size)))
        harness.batch = nil
        harness.give(
            .commitFailed(StoreFailure(reason: .full, detail: "full", remedy: "free some")))
        harness.give(.timer(.storage))
        harness.say("once there is room", in: Self.ops)
        harness.settle()
        #expect(harness.node.retentionBounds(at: harness.now.wall).isEmpty)
        harness.give(.request(RequestID(91), .retain(id, size)))
        harness.settle()
        #expect(harness.node.retentionBounds(at: harness.now.wall).count == 1)
    }

    @Test("what a link that is gone had brought is asked of another one")
    func askedAgain() {
        let log = TestLog(signer(20), in: Self.ops.conversation)
        let opening = log.opening(at: 1 << 16)
        let texts = log.run(
            [TestLog.text("text", at: 2 << 16)], first: 2, prev: opening.ids.last)
        var harness = Harness()
        harness.join(Self.ops)
        harness.settle()
        for number in UInt8(2)...3 { harness.link(number, in: [Self.ops]) }
        harness.give(.syncRun(opening.run), from: 2)
        harness.settle()
        harness.give(.syncRun(texts.run), from: 2)
        harness.give(.linkClosed(LinkID(2), nil))
        // While it is on its way to the disk, the other peer has nothing more.
        let row = ClockRow(
            tag: Harness.tags.log(log.key.name, in: Self.ops.conversation), state: .open, seq: 2,
            headTag: Harness.tags.head(texts.ids[0], by: Harness.tags.peer))
        harness.give(.delta(Self.ops.conversation, [row]), from: 3)
        _ = harness.take(from: 3)
        harness.batch = nil
        harness.give(
            .commitFailed(StoreFailure(reason: .full, detail: "full", remedy: "free some")))
        harness.pass(milliseconds: Limits.relayMilliseconds + Limits.relayJitterMilliseconds)
        let wants = harness.take(from: 3).compactMap { frame -> Want? in
            if case .want(let want) = frame { want } else { nil }
        }
        #expect(wants.map(\.from) == [2])
    }
}
