import Testing

@testable import Engine

@Suite("Waits for delivery") struct DeliveriesTests {
    private static let keys = ["ops", "dev"].map {
        TestLog(signer(1), in: room($0).conversation).key
    }

    private static func wait(
        _ number: UInt64, _ seq: UInt64, by deadline: UInt64, of key: LogKey = keys[0]
    ) -> Delivery {
        let message = SentMessage(
            id: EntryID(fixed32(1)), conversation: key.conversation, cursor: nil,
            time: HybridTime(0))
        return Delivery(
            request: RequestID(number), key: key, seq: seq, message: message, deadline: deadline)
    }

    @Test("end up to the entry that all have, each log for itself")
    func reached() {
        var deliveries = Deliveries()
        for seq in 1...3 { deliveries.add(Self.wait(UInt64(seq), UInt64(seq), by: 50)) }
        deliveries.add(Self.wait(4, 1, by: 50, of: Self.keys[1]))
        let done = deliveries.remove(of: Self.keys[0], through: 2)
        #expect(done.map(\.request.rawValue) == [1, 2])
        #expect(deliveries.count == 2 && !deliveries.isEmpty(for: Self.keys[0]))
        _ = deliveries.remove(of: Self.keys[0], through: 3)
        #expect(deliveries.isEmpty(for: Self.keys[0]) && deliveries.keys == [Self.keys[1]])
    }

    @Test("end when their time is over, and no other")
    func due() {
        var deliveries = Deliveries()
        deliveries.add(Self.wait(1, 1, by: 50))
        deliveries.add(Self.wait(2, 2, by: 40))
        let due = deliveries.removeDue(at: 49)
        #expect(due.map(\.request.rawValue) == [2])
        #expect(deliveries.count == 1)
    }

    @Test("wake the node for the first that ends, once")
    func wakeUps() {
        var deliveries = Deliveries()
        deliveries.add(Self.wait(1, 1, by: 50))
        var moments = [deliveries.nextWakeUp(), deliveries.nextWakeUp()]
        deliveries.add(Self.wait(2, 2, by: 40))
        moments.append(deliveries.nextWakeUp())
        _ = deliveries.removeDue(at: 40)
        moments.append(deliveries.nextWakeUp())
        #expect(moments == [50, nil, 40, 50])
    }

    @Test("a repeated send's deadline is taken once")
    func repeated() {
        var deliveries = Deliveries()
        deliveries.keepDeadline(9, of: RequestID(1))
        deliveries.keepDeadline(nil, of: RequestID(2))
        let taken = [1, 1, 2].map { deliveries.takeDeadline(of: RequestID($0)) }
        #expect(taken == [9, nil, nil])
    }
}
