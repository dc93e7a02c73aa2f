import Testing

@testable import Engine
@testable import Formats

@Suite("What waits for the disk") struct CommitQueueTests {
    private static let now = Instant(monotonic: 1_000, wall: 1_000)
    private static let release = Due(known: HybridTime(0), others: HybridTime(0))

    private static func accepted(
        _ author: UInt8, first: UInt64, on channel: Channel, link: UInt64 = 1,
        isOfKnown: Bool = false
    ) -> Accepted {
        let log = TestLog(signer(author), in: room("ops").conversation)
        let prev = first > 1 ? EntryID(fixed32(1)) : nil
        let run = log.run([TestLog.text("x", at: first * 65_536)], first: first, prev: prev)
        return Accepted(
            append: Append(run: run, heldFrom: 1), link: LinkID(link), channel: channel,
            byteCount: 100, isOfKnown: isOfKnown)
    }

    private static func fill(_ queue: inout CommitQueue) -> InFlight? {
        guard var flight = queue.begin() else { return nil }
        queue.fill(&flight, release: Self.release, at: Self.now)
        return flight
    }

    @Test("live runs go before bulk, but behind their own log's bulk")
    func order() throws {
        var queue = CommitQueue()
        queue.add(Self.accepted(2, first: 1, on: .sync), hasPending: false)
        queue.add(Self.accepted(2, first: 2, on: .live), hasPending: true)
        queue.add(Self.accepted(3, first: 1, on: .live), hasPending: false)
        let flight = try #require(Self.fill(&queue))
        #expect(flight.accepted.map(\.append.run.run.first) == [1, 1, 2])
        #expect(flight.accepted.first?.key.name.author == Harness.peer(3))
        #expect(queue.isEmpty)
    }

    @Test("of live runs those of known people go first, but behind what their own log has there")
    func knownFirst() throws {
        var queue = CommitQueue()
        queue.add(Self.accepted(2, first: 1, on: .live), hasPending: false)
        queue.add(Self.accepted(3, first: 1, on: .live), hasPending: false)
        queue.add(Self.accepted(4, first: 1, on: .live, isOfKnown: true), hasPending: false)
        queue.add(Self.accepted(4, first: 2, on: .live, isOfKnown: true), hasPending: false)
        // Brought by a stranger before, and by somebody known from here on.
        queue.add(Self.accepted(2, first: 2, on: .live, isOfKnown: true), hasPending: false)
        queue.add(Self.accepted(5, first: 1, on: .live, isOfKnown: true), hasPending: false)
        let flight = try #require(Self.fill(&queue))
        let order = flight.accepted.map { ($0.key.name.author, $0.append.run.run.first) }
        let due: [(PeerID, UInt64)] = [
            (4, 1), (4, 2), (5, 1), (2, 1), (3, 1), (2, 2),
        ].map { (Harness.peer($0), $1) }
        #expect(order.elementsEqual(due, by: ==))
    }

    @Test("there is one batch at a time")
    func oneAtATime() throws {
        var queue = CommitQueue()
        queue.add(Self.accepted(2, first: 1, on: .live), hasPending: false)
        queue.send(try #require(Self.fill(&queue)))
        #expect(Self.fill(&queue) == nil)
        #expect(queue.underWay.count == 1)
        #expect(queue.finish().accepted.count == 1)
        #expect(Self.fill(&queue)?.batch.number == 2)
    }

    @Test("whom the node forgets is not remembered by what waits, but by what comes later")
    func forgetting() throws {
        var queue = CommitQueue()
        let (eve, bob) = (Harness.peer(2), Harness.peer(3))
        for peer in [eve, bob] {
            queue.peers[peer] = KnownPeer(id: peer, addresses: [], lastSeen: 1)
        }
        queue.send(try #require(Self.fill(&queue)))
        queue.forget([eve, bob])
        queue.peers[bob] = KnownPeer(id: bob, addresses: [], lastSeen: 2)
        // What is forgotten stays so also where the batch that would have kept it is made anew.
        _ = queue.fail(queue.finish())
        queue.retry()
        let batch = try #require(Self.fill(&queue)).batch
        #expect(batch.forgotten == [eve, bob].sorted())
        #expect(batch.peers.map(\.lastSeen) == [2])
        #expect(Self.fill(&queue)?.batch.isEmpty == true)
    }

    @Test("after a failure only own messages try the store until it is tried again")
    func failure() throws {
        var queue = CommitQueue()
        queue.peers[Harness.peer(2)] = KnownPeer(
            id: Harness.peer(2), addresses: [], lastSeen: 1)
        queue.add(Self.accepted(2, first: 1, on: .live, link: 7), hasPending: false)
        queue.send(try #require(Self.fill(&queue)))
        let links = queue.fail(queue.finish()).links
        #expect(links == [LinkID(7)])
        #expect(Self.fill(&queue)?.batch.isEmpty == true)
        queue.retry()
        #expect(Self.fill(&queue)?.batch.peers.map(\.id) == [Harness.peer(2)])
    }
}
