import Crypto
import Testing

@testable import Engine
@testable import Formats

/// A send that is repeated with its key waits for delivery like the first one.
@Suite("A repeated send") struct RepeatedSendTests {
    private static let ops = room("ops")

    /// A node that pushes a peer what it writes.
    private static func linked() throws -> Harness {
        var harness = Harness()
        harness.link(2, in: [Self.ops])
        harness.join(Self.ops)
        harness.settle()
        try Self.claim(&harness)
        return harness
    }

    private static func send(
        _ harness: inout Harness, _ number: UInt64, by deadline: UInt64?,
        earlier: EarlierSend? = nil
    ) {
        let outgoing = Outgoing(
            conversation: Self.ops.conversation, text: "once", idempotencyKey: "k",
            wait: deadline.map { DeliveryWait(by: $0) })
        harness.give(.request(RequestID(100 + number), .send(outgoing)))
        for (request, _, _) in harness.takeLookUps() { harness.give(.lookedUp(request, earlier)) }
    }

    /// The head of the own log.
    private static func head(_ harness: Harness) throws -> Head {
        try #require(harness.node.conversations.table[Self.ops.conversation])
            .log(harness.node.ownLog).head
    }

    /// What the store remembers of the first send.
    private static func earlier(_ id: EntryID, at time: HybridTime) -> EarlierSend {
        EarlierSend(
            message: SentMessage(
                id: id, conversation: Self.ops.conversation, cursor: nil, time: time),
            content: .text("once"))
    }

    /// The peer says that it has all of the own log.
    private static func claim(_ harness: inout Harness) throws {
        let row = try harness.ownRow(in: Self.ops)
        harness.give(.delta(Self.ops.conversation, [row]), from: 2)
    }

    private static func deliveries(_ harness: Harness) -> [Bool] {
        harness.answers.map(\.answer).compactMap {
            guard case .sent(_, let isDuplicate, [Harness.peer(2)]) = $0 else { return nil }
            return isDuplicate
        }
    }

    @Test("waits for delivery while the first one is on its way to the disk, and behind it")
    func waits() throws {
        var harness = try Self.linked()
        let before = harness.answers.count
        Self.send(&harness, 1, by: 99_000)
        Self.send(&harness, 2, by: 99_000)
        harness.settle()
        Self.send(&harness, 3, by: 99_000)
        #expect(harness.answers.count == before)
        try Self.claim(&harness)
        #expect(Self.deliveries(harness).count == 3)
        #expect(Self.deliveries(harness).count { $0 } == 2)
        Self.send(&harness, 4, by: 99_000)
        #expect(Self.deliveries(harness).count == 4)
    }

    @Test("finds its message where only the store remembers the key")
    func stored() throws {
        var harness = try Self.linked()
        let head = try Self.head(harness)
        let earlier = Self.earlier(head.id, at: head.time)
        Self.send(&harness, 1, by: 99_000, earlier: earlier)
        #expect(Self.deliveries(harness) == [true])
    }

    @Test("says at once that nobody has it where its message stands in no history that counts")
    func beyondFork() throws {
        var harness = try Self.linked()
        let other = EntryID(Bytes32([UInt8](repeating: 7, count: 32)) ?? .zero)
        let time = try Self.head(harness).time.rawValue + 1
        let earlier = Self.earlier(other, at: HybridTime(time))
        Self.send(&harness, 1, by: 99_000, earlier: earlier)
        let answer = harness.answers(of: RequestID(101)).first
        guard case .failed(.deliveryTimeout(earlier.message, _, [], let lacking)) = answer else {
            Issue.record("\(harness.answers)")
            return
        }
        #expect(lacking == [Harness.peer(2)])
        Self.send(&harness, 2, by: nil, earlier: earlier)
        #expect(
            harness.answers(of: RequestID(102))
                == [.sent(earlier.message, isDuplicate: true, deliveredTo: [])])
    }

    @Test("keeps its place before what was asked after it, however long it is looked up")
    func inOrder() throws {
        var harness = try Self.linked()
        let id = Self.ops.conversation
        for number in 0..<6 {
            let key = number % 2 == 0 ? "key-\(number)" : nil
            let outgoing = Outgoing(
                conversation: id, text: "line \(number)", idempotencyKey: key)
            harness.give(.request(RequestID(UInt64(101 + number)), .send(outgoing)))
        }
        let lookUps = harness.takeLookUps()
        harness.give(.request(RequestID(107), .leave(id)))
        let late = Outgoing(conversation: id, text: "late", idempotencyKey: "late")
        harness.give(.request(RequestID(108), .send(late)))
        harness.settle()
        #expect(harness.answers(of: RequestID(102)).isEmpty)
        for (request, _, _) in (lookUps + harness.takeLookUps()).reversed() {
            harness.give(.lookedUp(request, nil))
        }
        harness.settle()
        let texts = harness.messages(of: Harness.ownKey).compactMap(\.content.text)
        #expect(texts.suffix(6) == (0..<6).map { "line \($0)" })
        #expect(harness.answers(of: RequestID(108)) == [.failed(.notMember)])
    }

    @Test("that cannot be looked up fails alone")
    func notLookedUp() throws {
        var harness = try Self.linked()
        for (number, key) in [(UInt64(101), "a"), (102, nil)] {
            let outgoing = Outgoing(
                conversation: Self.ops.conversation, text: "\(number)", idempotencyKey: key)
            harness.give(.request(RequestID(number), .send(outgoing)))
        }
        let failure = StoreFailure(reason: .full, detail: "full", remedy: "free some")
        harness.give(.lookUpFailed(RequestID(101), failure))
        harness.settle()
        #expect(harness.answers(of: RequestID(101)) == [.failed(.storage(failure))])
        #expect(harness.messages(of: Harness.ownKey).last?.content.text == "102")
    }

    @Test("times out as the first one does, and is answered at once where nobody wants to wait")
    func timesOut() throws {
        var harness = try Self.linked()
        Self.send(&harness, 1, by: nil)
        harness.settle()
        Self.send(&harness, 2, by: 5_000)
        Self.send(&harness, 3, by: nil)
        guard case .sent(_, isDuplicate: true, deliveredTo: []) = harness.answers.last?.answer
        else {
            Issue.record("\(harness.answers)")
            return
        }
        harness.now = Instant(monotonic: 5_000, wall: harness.now.wall)
        harness.give(.timer(.delivery))
        guard
            case .failed(.deliveryTimeout(_, isRead: _, deliveredTo: [], waitingFor: _)) = harness
                .answers
                .last?.answer
        else {
            Issue.record("\(harness.answers)")
            return
        }
    }
}
