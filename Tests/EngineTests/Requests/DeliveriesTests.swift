import Testing

@testable import Engine
@testable import Formats

@Suite("Waits for delivery") struct DeliveriesTests {
    private static let keys = ["ops", "dev"].map {
        TestLog(signer(1), in: room($0).conversation).key
    }
    private static let any = DeliveryGoal.members(1)

    private static func wait(
        _ number: UInt64, _ seq: UInt64, by deadline: UInt64, of key: LogKey = keys[0],
        _ goal: DeliveryGoal = any
    ) -> Delivery {
        let message = SentMessage(
            id: EntryID(fixed32(1)), conversation: key.conversation, cursor: nil,
            time: HybridTime(0))
        return Delivery(
            request: RequestID(number), key: key, seq: seq, message: message,
            wait: DeliveryWait(goal, by: deadline))
    }

    @Test("end up to the entry that is reached, each log and each goal for itself")
    func reached() {
        var deliveries = Deliveries()
        for seq in 1...3 { deliveries.add(Self.wait(UInt64(seq), UInt64(seq), by: 50)) }
        deliveries.add(Self.wait(4, 1, by: 50, of: Self.keys[1]))
        deliveries.add(Self.wait(5, 1, by: 50, .all))
        #expect(deliveries.aims(of: Self.keys[0]) == [Self.any, .all].map { DeliveryAim($0) })
        let done = deliveries.remove(of: Self.keys[0], DeliveryAim(Self.any), through: 2)
        #expect(done.map(\.request.rawValue) == [1, 2])
        #expect(deliveries.count == 3 && !deliveries.isEmpty(for: Self.keys[0]))
        _ = deliveries.remove(of: Self.keys[0], DeliveryAim(Self.any), through: 3)
        #expect(deliveries.aims(of: Self.keys[0]) == [DeliveryAim(.all)])
        _ = deliveries.remove(of: Self.keys[0], DeliveryAim(.all), through: 3)
        #expect(deliveries.isEmpty(for: Self.keys[0]) && deliveries.keys == [Self.keys[1]])
    }

    @Test("are looked at only in the conversations that something concerns")
    func concerned() {
        var deliveries = Deliveries()
        for key in Self.keys { deliveries.add(Self.wait(1, 1, by: 50, of: key)) }
        let concerned = Self.keys[1].conversation
        #expect(deliveries.keys { $0 == concerned } == [Self.keys[1]])
        #expect(deliveries.keys { _ in false }.isEmpty)
    }

    @Test("end when their time is over, and no other")
    func due() {
        var deliveries = Deliveries()
        deliveries.add(Self.wait(1, 1, by: 50))
        deliveries.add(Self.wait(2, 2, by: 40, .all))
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

    @Test("what a repeated send waits for is taken once")
    func repeated() {
        var deliveries = Deliveries()
        deliveries.keep(DeliveryWait(by: 9), of: RequestID(1))
        deliveries.keep(nil, of: RequestID(2))
        let taken = [1, 1, 2].map { deliveries.takeKept(of: RequestID($0)) }
        #expect(taken == [DeliveryWait(by: 9), nil, nil])
    }

    @Test("own ids are kept of the newest entries only")
    func ids() {
        let log = TestLog(signer(1), in: room("ops").conversation)
        var (ids, runs, prev) = (RecentOwnIDs(), [VerifiedRun](), log.opening())
        ids.add(prev)
        for number in 0..<Limits.recentOwnIDs / 8 {
            let first = prev.run.last + 1
            let entries = (0..<9).map {
                TestLog.text("\($0)", at: first + UInt64($0) + UInt64(number))
            }
            prev = log.run(entries, first: first, prev: prev.ids.last)
            ids.add(prev)
            runs.append(prev)
        }
        #expect((Limits.recentOwnIDs..<Limits.recentOwnIDs + 9).contains(ids.count))
        #expect(
            ids.id(of: 1, in: log.key) == nil && ids.id(of: prev.run.last + 1, in: log.key) == nil)
        #expect(ids.id(of: prev.run.last, in: log.key) == prev.ids.last)
        #expect(ids.id(of: prev.run.first, in: log.key) == prev.ids.first)
        #expect(ids.id(of: prev.run.last, in: Self.keys[1]) == nil)
    }
}
