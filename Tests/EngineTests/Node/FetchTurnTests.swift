import Crypto
import Testing

@testable import Engine
@testable import Formats

@Suite("Claims of strangers, who all say to have more of all logs") struct FetchTurnTests {
    private static let ops = room("ops")
    private static let friend: UInt8 = 2
    private static let strangers: ClosedRange<UInt8> = 30...69
    /// Logs of one entry each.
    private static let logs = (200..<205).flatMap { author in
        (1...50).map {
            TestLog(
                signer(UInt8(author)), incarnation: UInt64($0), in: Self.ops.conversation)
        }
    }

    private var harness = Harness()

    /// In a room with somebody whom the user knows, and with forty strangers, none of whom serves anything.
    init() {
        self.harness.join(Self.ops)
        self.harness.settle()
        self.harness.link(Self.friend, in: [Self.ops])
        self.harness.give(.request(RequestID(7), .stand(Harness.peer(Self.friend), .known)))
        for log in Self.logs {
            let opening = log.run([TestLog.text("one", at: 1 << 16)])
            self.harness.give(.syncRun(opening.run), from: Self.friend)
        }
        self.harness.settle()
        for number in Self.strangers { self.harness.link(number, in: [Self.ops]) }
        self.harness.settle()
        _ = self.harness.take(from: Self.friend)
    }

    private func claim(_ log: TestLog, _ seq: UInt64) -> ClockRow {
        ClockRow(
            tag: Harness.tags.log(log.key.name, in: Self.ops.conversation), state: .open, seq: seq,
            headTag: 1)
    }

    private mutating func claimAll() {
        let rows = Self.logs.map { self.claim($0, 5) }.sorted { $0.tag < $1.tag }
        for number in Self.strangers {
            self.harness.give(.delta(Self.ops.conversation, rows), from: number)
        }
    }

    private var steps: Int { self.harness.node.catchUp.fetching.plans.steps }

    /// Has one of them send rows one by one, all at the same moment.
    private mutating func flood(_ count: Int) {
        for number in 0..<count {
            let row = self.claim(Self.logs[number % Self.logs.count], UInt64(6 + number))
            self.harness.give(.delta(Self.ops.conversation, [row]), from: 30)
        }
    }

    // Shows: daemon.pace
    @Test("what one row after another has looked at is bounded in time, not by how many come")
    func bounded() {
        var test = self
        test.claimAll()
        test.flood(300)
        let most = Limits.fetchSteps + Limits.fetchStepsPerTurn + Self.logs.count
        #expect(test.steps <= most, "otherwise 300 times all logs on all links")
        let before = test.steps
        for _ in 0..<50 {
            test.flood(10)
            test.harness.pass(milliseconds: Limits.fetchTurnMilliseconds)
        }
        #expect(test.steps - before <= 52 * Limits.fetchStepsPerTurn)
    }

    // Shows: daemon.pace
    @Test("one turn looks at little, and goes on with other links from there")
    func turns() {
        var test = self
        test.claimAll()
        test.flood(300)
        let counts = (0..<60).map { _ in
            let before = test.steps
            test.harness.pass(milliseconds: Limits.fetchTurnMilliseconds)
            return test.steps - before
        }
        let most = Limits.fetchStepsPerTurn + Self.logs.count
        #expect(counts.allSatisfy { $0 <= most }, "\(counts)")
        let asked = Self.strangers.filter { number in
            test.harness.take(from: number).contains { if case .want = $0 { true } else { false } }
        }
        #expect(asked.count > 4, "\(asked)")
    }

    // Shows: daemon.pace
    @Test("whom the user knows is asked at once, however much strangers claim")
    func known() {
        var test = self
        test.claimAll()
        test.flood(300)
        #expect(!test.harness.node.catchUp.fetching.plans.waiting.isEmpty)
        _ = test.harness.take(from: Self.friend)
        let log = TestLog(signer(210), in: Self.ops.conversation)
        test.harness.give(.delta(Self.ops.conversation, [test.claim(log, 2)]), from: Self.friend)
        let wants = test.harness.take(from: Self.friend).filter {
            if case .want = $0 { true } else { false }
        }
        #expect(wants.count == 1)
    }

    @Test("who serves nothing is asked again once in a while, however often its digest differs")
    func digests() {
        var test = self
        let row = test.claim(Self.logs[0], 5)
        test.harness.give(.delta(Self.ops.conversation, [row]), from: 30)
        var asked: [Int] = []
        for wait in [0, 0, 0, Limits.pingMilliseconds / 2, 0] as [UInt64] {
            test.harness.pass(milliseconds: wait)
            let digest = ConversationDigest(logs: fixed32(UInt8(asked.count)), records: .zero)
            test.harness.give(.digest(Self.ops.conversation, digest), from: 30)
            let wants = test.harness.take(from: 30).count {
                if case .want = $0 { true } else { false }
            }
            asked.append(wants)
            test.harness.give(
                .unavailable(Self.ops.conversation, tag: row.tag, from: 2), from: 30)
        }
        #expect(asked == [1, 0, 0, 1, 0])
    }
}
