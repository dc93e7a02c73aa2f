import Formats
import Crypto
import Testing

@testable import Engine

@Suite("Runs of history that wait for their turn") struct BulkTests {
    private static let room = ConversationID(.zero)

    private static func received(
        _ frame: Frame, channel: Channel
    ) throws -> ReceivedFrame {
        let whole = try ReceivedFrame(whole: frame.encoded.bytes)
        #expect(whole.channel == channel)
        return whole
    }

    private static func run(_ seq: UInt64, payloadBytes: Int = 10) throws -> ReceivedFrame {
        let entry = Entry(
            entryClass: EntryClass.content.rawValue, time: HybridTime(seq), deps: [],
            payload: .present(Array(repeating: 0, count: payloadBytes)))
        let key = LogKey(
            conversation: Self.room, name: LogName(author: PeerID(.zero), incarnation: 1))
        return try Self.received(
            .syncRun(
                Run(
                    key: key, first: seq, prev: seq == 1 ? nil : EntryID(.zero),
                    attestation: .zero, entries: [entry])),
            channel: .sync)
    }

    private static func small(_ seq: UInt64) throws -> ReceivedFrame {
        try Self.received(.unavailable(Self.room, tag: 1, from: seq), channel: .sync)
    }

    private static func put(
        _ frame: ReceivedFrame, _ link: LinkID, _ queue: inout BulkQueue
    ) -> Bool {
        queue.take(frame, from: link)
    }

    private static func next(_ queue: inout BulkQueue) -> [ReceivedFrame]? { queue.next()?.frames }

    @Test("runs are taken one at a time, and links take turns")
    func turns() throws {
        var queue = BulkQueue()
        for link in [1, 2] as [UInt64] {
            for seq in 1...2 as ClosedRange<UInt64> {
                #expect(Self.put(try Self.run(10 * link + seq), LinkID(link), &queue))
            }
        }
        var order: [(UInt64, [ReceivedFrame])] = []
        while let (link, frames) = queue.next() { order.append((link.rawValue, frames)) }
        #expect(order.map(\.0) == [1, 2, 1, 2])
        #expect(
            order.map(\.1) == [
                [try Self.run(11)], [try Self.run(21)], [try Self.run(12)], [try Self.run(22)],
            ])
        #expect(queue.isEmpty)
    }

    @Test("while strangers come last their runs are taken once nobody else's wait")
    func strangersLast() throws {
        var queue = BulkQueue()
        for link in [1, 2, 1, 2] as [UInt64] {
            #expect(Self.put(try Self.run(link), LinkID(link), &queue))
        }
        var order: [UInt64] = []
        while let (link, _) = queue.next(isLast: { $0 == LinkID(1) }) {
            order.append(link.rawValue)
        }
        #expect(order == [2, 2, 1, 1])
    }

    @Test("what else comes goes at once, but not past a run on its own channel")
    func order() throws {
        var queue = BulkQueue()
        let link = LinkID(1)
        let ping = try Self.received(.ping(nonce: 1, clock: 1), channel: .control)
        #expect(!Self.put(try Self.small(1), link, &queue))
        #expect(Self.put(try Self.run(1), link, &queue))
        #expect(Self.put(try Self.small(2), link, &queue))
        #expect(!Self.put(ping, link, &queue))
        #expect(!Self.put(try Self.small(3), LinkID(2), &queue))
        #expect(Self.put(try Self.run(2), link, &queue))
        #expect(Self.next(&queue) == [try Self.run(1), try Self.small(2)])
        #expect(Self.next(&queue) == [try Self.run(2)])
        #expect(!Self.put(try Self.small(4), link, &queue))
    }

    @Test("no more waits of a link than its credit allows, however small the frames are")
    func bounds() throws {
        var queue = BulkQueue()
        let link = LinkID(1)
        #expect(Self.put(try Self.run(1, payloadBytes: 1_000), link, &queue))
        var count = 0
        while count < 10_000, queue.take(try Self.small(1), from: link) { count += 1 }
        // A small one counts for about 280 bytes.
        let most = Limits.initialCredit / 280
        #expect((most * 8 / 10...most).contains(count))
        // The others go on.
        #expect(Self.put(try Self.run(1), LinkID(2), &queue))
        #expect(Self.next(&queue)?.count == BulkQueue.framesPerTurn)
        #expect(Self.put(try Self.small(1), link, &queue))
        let rest = queue.removeAll(of: link)
        #expect(rest.count == count + 2 - BulkQueue.framesPerTurn)
        let nothing = queue.removeAll(of: link)
        #expect(nothing.isEmpty)
        #expect(Self.next(&queue) == [try Self.run(1)])
        #expect(queue.isEmpty)
    }

    @Test("history waits for the end of a batch beside live messages, then for as long again")
    func pauses() {
        var pace = BulkPace()
        #expect(pace.earliest == 0)
        // A batch without history changes nothing.
        pace.ended(at: 500)
        #expect(pace.earliest == 0)
        pace.began(at: 1_000)
        #expect(pace.earliest == nil)
        pace.ended(at: 1_600)
        #expect(pace.earliest == 2_200)
        pace.ended(at: 1_700)
        #expect(pace.earliest == 2_200)
        pace.began(at: 3_000)
        pace.ended(at: 5_003_000)
        #expect(pace.earliest == 5_003_000 + BulkPace.limitMicroseconds)
    }
}
