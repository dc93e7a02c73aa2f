import Crypto
import TestSupport
import Testing

@testable import Engine
@testable import Formats

@Suite("What a peer is owed that does not take it") struct OwedTests {
    private static let ops = room("ops")
    private static let forks: UInt8 = 20

    private var harness = Harness()

    /// A room in which many have signed two histories, with a peer that takes nothing of what it is sent.
    init() throws {
        self.harness.join(Self.ops)
        for peer: UInt8 in [2, 3] { self.harness.link(peer, in: [Self.ops]) }
        self.harness.settle()
        for number in 0..<Self.forks {
            let log = TestLog(signer(100 + number), in: Self.ops.conversation)
            let opening = log.opening()
            let (one, other) = (Self.large(log, opening, "one"), Self.large(log, opening, "other"))
            self.harness.give(.forkProof(try #require(ForkProof(one, other))), from: 2)
            self.harness.settle()
        }
    }

    /// A run whose headers are large.
    private static func large(
        _ log: TestLog, _ opening: VerifiedRun, _ text: String
    ) -> VerifiedRun {
        let entries = (1...100).map { TestLog.text("\(text) \($0)", at: UInt64($0) << 16) }
        return log.run(entries, first: 2, prev: opening.ids[0])
    }

    private static func proofs(_ frames: [Frame]) -> [LogKey] {
        frames.compactMap { if case .forkProof(let proof) = $0 { proof.key } else { nil } }
    }

    // Shows: daemon.peers
    @Test("each thing is owed once, however often it is asked for, and made when it goes")
    func once() throws {
        var test = self
        _ = test.harness.take(from: 3)
        let empty = LogBucket.all.map { ClockPage(bucket: $0, rows: []) }
        for _ in 0..<200 {
            test.harness.give(.clock(Self.ops.conversation, empty), from: 3)
            test.harness.give(.recordClock(Self.ops.conversation, []), from: 3)
        }
        // What is sent without credit that comes back is bounded by it; what waits, by little.
        let waiting = test.harness.node.links[LinkID(3)].flow.waitingBytes
        #expect(waiting <= Limits.frameBytes, "one answer waits at most")
        let owed = try #require(
            test.harness.node.links[LinkID(3)].shared[Self.ops.conversation]?.owed)
        #expect(owed.count <= Int(Self.forks) + 8)
        #expect(test.harness.node.excess == nil)
    }

    @Test("all of it comes as the peer takes it, each proof once")
    func all() {
        var test = self
        var known = Set(Self.proofs(test.harness.take(from: 3)))
        let empty = LogBucket.all.map { ClockPage(bucket: $0, rows: []) }
        test.harness.give(.clock(Self.ops.conversation, empty), from: 3)
        var taken = 0
        for _ in 0..<200 {
            let frames = test.harness.take(from: 3)
            known.formUnion(Self.proofs(frames))
            let bytes = frames.map(\.encoded).filter { $0.channel == .sync }
                .reduce(0) { $0 + $1.bytes.count }
            taken += bytes
            guard bytes > 0 else { break }
            test.harness.give(.credit(.sync, bytes: UInt64(bytes)), from: 3)
        }
        #expect(known.count == Int(Self.forks))
        #expect(test.harness.node.links[LinkID(3)].flow.waitingBytes == 0)
    }

    @Test("a proof is on disk before it is told, and is read from there")
    func stored() throws {
        var test = self
        _ = test.harness.take(from: 3)
        let log = TestLog(signer(90), in: Self.ops.conversation)
        let opening = log.opening()
        let proof = try #require(
            ForkProof(
                log.run([TestLog.text("one", at: 3 << 16)], first: 2, prev: opening.ids[0]),
                log.run([TestLog.text("other", at: 3 << 16)], first: 2, prev: opening.ids[0])))
        test.harness.give(.forkProof(proof), from: 2)
        #expect(Self.proofs(test.harness.take(from: 3)).isEmpty)
        test.harness.settle()
        let flow = test.harness.node.links[LinkID(3)].flow
        let credit = Limits.initialCredit - flow.credit(on: .sync)
        if credit > 0 { test.harness.give(.credit(.sync, bytes: UInt64(credit)), from: 3) }
        #expect(test.harness.proofs[log.key] == proof)
        #expect(Self.proofs(test.harness.take(from: 3)).contains(log.key))
    }

    // Shows: daemon.peers
    @Test("who sends control frames without end is closed; who returns credit is not")
    func control() {
        var test = self
        let ping = Frame.ping(nonce: 1, clock: 1)
        let count = Limits.controlBurstBytes / ping.encoded.bytes.count
        for _ in 0..<count - 100 { test.harness.give(ping, from: 3) }
        #expect(test.harness.closed[LinkID(3)] == nil)
        for _ in 0..<200 { test.harness.give(ping, from: 3) }
        #expect(test.harness.closed[LinkID(3)] == .protocolViolation)
        #expect(test.harness.closed[LinkID(2)] == nil)
    }
}
