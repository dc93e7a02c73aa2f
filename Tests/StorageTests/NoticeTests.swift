import Crypto
import Engine
import Formats
import Storage
import Testing

@Suite("Stored notices")
struct StoredNoticeTests {
    private static func notices(_ numbers: ClosedRange<UInt64>) -> Batch {
        var batch = Batch(number: 1)
        batch.notices = numbers.map { Notice(.raised(.clock, about: nil, "\($0)"), at: $0) }
        return batch
    }

    private func all(_ store: MessageStore) async throws -> Arrivals {
        try await store.entries(after: Cursor(0), limit: 10_000, withNotices: true)
    }

    @Test("take numbers behind the entries of their batch, and keep them over a restart")
    func order() async throws {
        let directory = try TemporaryDirectory()
        var log = LogWriter(bob)
        let store = try await directory.open()
        var first = batch(log.append([text("a", at: 10)]))
        first.notices = [Notice(.joined(ops.conversation), at: 5)]
        let outcome = try await store.commit(first)
        #expect(outcome.cursors == [[Cursor(1)]])
        #expect(outcome.notices == [Cursor(2)])
        #expect(try await store.newestCursor() == Cursor(2))
        await store.close()

        let again = try await directory.open()
        #expect(try await again.newestCursor() == Cursor(2))
        let second = try await again.commit(batch(log.append([text("b", at: 20)]), number: 1))
        #expect(second.cursors == [[Cursor(3)]])
        let found = try await self.all(again)
        #expect(found.entries.map(\.cursor.rawValue) == [1, 3])
        #expect(
            found.notices
                == [StoredNotice(cursor: Cursor(2), notice: first.notices[0])])
        #expect(found.through == Cursor(3) && !found.hasMore)
        #expect(try await again.check().isEmpty)
        #expect(try await again.counts().entries == 2)
    }

    @Test("are given only where they are asked for, and a page without them reaches as far")
    func unasked() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        _ = try await store.commit(Self.notices(1...3))
        let found = try await store.entries(after: Cursor(0), limit: 10)
        #expect(found == Arrivals(entries: [], through: Cursor(3), hasMore: false))
        let one = try await store.entries(
            after: Cursor(0), limit: 10, in: ops.conversation, withNotices: true)
        #expect(one == Arrivals(entries: [], through: Cursor(3), hasMore: false))
    }

    @Test("come page by page with entries, each once and in order, whatever the limits")
    func pages() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        for step in 0..<12 {
            var next = batch(log.append([text("\(step)", at: UInt64(10 + step))]))
            if step % 3 == 0 { next.notices = Self.notices(1...UInt64(1 + step)).notices }
            _ = try await store.commit(next)
        }
        let newest = try await store.newestCursor().rawValue
        for limit in 1...5 {
            var seen: [Int64] = []
            var cursor = Cursor(0)
            while true {
                let page = try await store.entries(
                    after: cursor, limit: limit, withNotices: true, byteLimit: 150, rowLimit: 3)
                seen +=
                    (page.entries.map(\.cursor) + page.notices.map(\.cursor)).sorted()
                    .map(\.rawValue)
                #expect(page.through > cursor || !page.hasMore)
                cursor = page.through
                guard page.hasMore else { break }
            }
            #expect(seen == Array(1...newest))
            #expect(cursor.rawValue == newest)
        }
    }

    // Shows: daemon.notices
    @Test("are forgotten when there are too many, the oldest first; no number is given twice")
    func bound() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        for round in 0..<UInt64(5) {
            _ = try await store.commit(Self.notices((round * 1_000 + 1)...((round + 1) * 1_000)))
        }
        let kept = try await self.all(store).notices
        #expect(kept.count == Limits.notices + 1)
        #expect(kept.last?.cursor == Cursor(5_000))
        // In the place of the last that was forgotten it says that some were.
        #expect(kept.first?.cursor == Cursor(5_000 - Int64(Limits.notices)))
        #expect(kept.first?.notice.event == .forgotten(.alert))
        #expect(kept.dropFirst().allSatisfy { !$0.notice.isGap })
        #expect(try await store.counts().entries == 0)
        #expect(try await store.check().isEmpty)
    }

    // Shows: daemon.changes
    @Test(
        "of each kind, and of strangers, have places of their own: many of them push nothing else out"
    )
    func apart() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        func erased(by tier: Tier) -> Notice {
            Notice(.erased(ops.conversation, EntryID(.zero), by: bob.id), of: tier, at: 1)
        }
        var first = Self.notices(1...3)
        first.notices += [erased(by: .verified), erased(by: .fellow)]
        first.notices.append(Notice(.joined(ops.conversation), at: 5))
        _ = try await store.commit(first)
        for round in 0..<5 {
            var batch = Batch(number: UInt64(round) + 2)
            batch.notices = (0..<1_000).map { _ in erased(by: .stranger) }
            _ = try await store.commit(batch)
        }
        func kept(after cursor: Int64, in conversation: ConversationID? = nil) async throws
            -> [StoredNotice]
        {
            try await store.entries(
                after: Cursor(cursor), limit: 20_000, in: conversation, withNotices: true
            ).notices
        }
        let all = try await kept(after: 0)
        #expect(all.prefix(6).map(\.notice) == first.notices)
        #expect(all.count == 6 + 1 + Limits.notices)
        #expect(all[6].notice == Notice(.forgotten(.erased), of: .stranger, at: 0))
        #expect(all[6].cursor == Cursor(5_006 - Int64(Limits.notices)))
        #expect(all.last?.cursor == Cursor(5_006))
        // Whoever follows one conversation is told as well, and nobody who has seen what was forgotten.
        #expect(try await kept(after: 0, in: ops.conversation).contains { $0.notice.isGap })
        let later = try await kept(after: all[6].cursor.rawValue)
        #expect(later.count == Limits.notices && later.allSatisfy { !$0.notice.isGap })
        #expect(try await store.check().isEmpty)
    }
}
