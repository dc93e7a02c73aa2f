import Crypto
import Engine
import Formats
import Testing

@testable import Daemon
@testable import Storage

@Suite("Which sealed messages a search looks at") struct SealedWalkTests {
    private static func conversation(_ number: UInt8) -> ConversationID {
        ConversationID(Bytes32([UInt8](repeating: number, count: 32)) ?? .zero)
    }

    private static func place(at time: UInt64) -> DisplayPosition {
        DisplayPosition(
            time: HybridTime(time), name: LogName(author: PeerID(.zero), incarnation: 1), seq: 1)
    }

    private static func hit(at time: UInt64) -> SearchHit {
        SearchHit(id: EntryID(.zero), time: HybridTime(time), rank: 0, excerpt: "")
    }

    private static func query(_ limit: Int, _ order: SearchQuery.Order = .newest) -> SearchQuery {
        var query = SearchQuery("word")
        query.limit = limit
        query.order = order
        return query
    }

    private static func stretch(before time: UInt64?) -> SearchStretch {
        SearchStretch(documents: [], oldest: time.map { Self.place(at: $0) })
    }

    @Test("each conversation is read from the end, always where the newest messages are left")
    func order() {
        var walk = SealedWalk(
            [Self.conversation(1), Self.conversation(2)], since: HybridTime(3), until: nil)
        let query = Self.query(5)
        var read: [ConversationID] = []
        func next(leaving time: UInt64?) -> HistoryQuery? {
            guard let next = walk.takeNext([], for: query) else { return nil }
            read.append(next.conversation)
            walk.looked(at: next, Self.stretch(before: time))
            return next
        }
        let first = next(leaving: 50)
        #expect(first?.direction == .last && first?.since == HybridTime(3))
        #expect(first?.limit == SealedWalk.stretch)
        _ = next(leaving: 80)
        #expect(walk.newest == HybridTime(80))
        #expect(next(leaving: 20)?.direction == .before(Self.place(at: 80)))
        _ = next(leaving: nil)
        _ = next(leaving: nil)
        #expect(next(leaving: nil) == nil && walk.newest == nil)
        #expect(read == [1, 2, 2, 1, 2].map { Self.conversation($0) })
    }

    @Test("no further than the hits wanted may be; those that fit best may be anywhere")
    func enough() {
        for (order, isOver) in [(SearchQuery.Order.newest, true), (.rank, false)] {
            var walk = SealedWalk([Self.conversation(1)], since: nil, until: nil)
            let query = Self.query(2, order)
            let found = [Self.hit(at: 99), Self.hit(at: 98)]
            guard let first = walk.takeNext(found, for: query) else {
                Issue.record("something newer may be there")
                return
            }
            walk.looked(at: first, Self.stretch(before: 50))
            var again = walk
            #expect(again.takeNext([Self.hit(at: 99), Self.hit(at: 50)], for: query) != nil)
            let hits = [Self.hit(at: 99), Self.hit(at: 51)]
            #expect((walk.takeNext(hits, for: query) == nil) == isOver)
        }
    }

    @Test("a search that is to find what is older begins there")
    func until() {
        var walk = SealedWalk([Self.conversation(1)], since: nil, until: HybridTime(40))
        #expect(walk.newest == HybridTime(40))
        guard case .before(let place)? = walk.takeNext([], for: Self.query(1))?.direction else {
            Issue.record("from the end")
            return
        }
        #expect(place.time == HybridTime(40))
    }
}
