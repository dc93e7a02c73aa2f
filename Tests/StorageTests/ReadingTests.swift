import Engine
import Formats
import Crypto
import Storage
import Testing

@Suite("Reading")
struct ReadingTests {
    /// A store with two logs whose times interleave and partly are the same.
    static func filled(_ directory: TemporaryDirectory) async throws -> MessageStore {
        let store = try await directory.open()
        var logs = [LogWriter(bob), LogWriter(bob, incarnation: .max), LogWriter(eve)]
        var elsewhere = LogWriter(eve, room("dev"))
        for step in 0..<20 {
            for index in logs.indices {
                let entry = text("\(index).\(step)", at: UInt64(10 + step * (index + 1)))
                _ = try await store.commit(batch(logs[index].append([entry])))
            }
            _ = try await store.commit(batch(elsewhere.append([text("x", at: UInt64(step))])))
        }
        return store
    }

    static func isOrdered(_ left: StoredEntry, _ right: StoredEntry) -> Bool {
        (left.time, left.key.name, left.seq) < (right.time, right.key.name, right.seq)
    }

    @Test("history is in display order, page by page from either end")
    func pages() async throws {
        let directory = try TemporaryDirectory()
        let store = try await Self.filled(directory)
        func page(_ limit: Int, _ direction: HistoryQuery.Direction) async throws -> HistoryPage {
            try await store.history(
                HistoryQuery(conversation: ops.conversation, limit: limit, direction: direction))
        }
        let all = try await page(1_000, .last)
        #expect(all.entries.count == 60 && !all.hasMore)
        #expect(all.entries == all.entries.sorted(by: Self.isOrdered))
        #expect(try await page(60, .last) == all)

        var backward: [StoredEntry] = []
        var last = try await page(7, .last)
        while true {
            backward = last.entries + backward
            guard last.hasMore else { break }
            last = try await page(7, .before(DisplayPosition(last.entries[0])))
        }
        #expect(backward == all.entries)

        var forward = [all.entries[0]]
        while true {
            let next = try await page(7, .after(DisplayPosition(forward[forward.count - 1])))
            forward += next.entries
            guard next.hasMore else { break }
        }
        #expect(forward == all.entries)
    }

    @Test("history since a time begins there")
    func since() async throws {
        let directory = try TemporaryDirectory()
        let store = try await Self.filled(directory)
        let all = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 100))
        let since = time(40)
        let expected = all.entries.filter { $0.time >= since }
        var query = HistoryQuery(conversation: ops.conversation, limit: 100, since: since)
        #expect(try await store.history(query).entries == expected)
        query.limit = 3
        #expect(try await store.history(query).entries == Array(expected.suffix(3)))
        query.direction = .after(DisplayPosition(all.entries[0]))
        #expect(try await store.history(query).entries == Array(expected.prefix(3)))
        #expect(try await store.history(query).hasMore)
    }

    @Test("a page stops at its byte limit and gives at least one entry")
    func bytes() async throws {
        let directory = try TemporaryDirectory()
        let store = try await Self.filled(directory)
        let query = HistoryQuery(conversation: ops.conversation, limit: 100, byteLimit: 1)
        let page = try await store.history(query)
        #expect(page.entries.count == 1 && page.hasMore)
        let arrivals = try await store.entries(after: Cursor(0), limit: 100, byteLimit: 1)
        #expect(arrivals.entries.count == 1 && arrivals.hasMore && arrivals.through == Cursor(1))
    }

    @Test("an unknown conversation is empty")
    func unknown() async throws {
        let directory = try TemporaryDirectory()
        let store = try await Self.filled(directory)
        let nowhere = room("nowhere").conversation
        #expect(
            try await store.history(HistoryQuery(conversation: nowhere, limit: 9)).entries.isEmpty)
        let arrivals = try await store.entries(after: Cursor(3), limit: 9, in: nowhere)
        #expect(arrivals == Arrivals(entries: [], through: Cursor(80), hasMore: false))
        #expect(try await store.entry(EntryID(.zero)) == nil)
    }

    @Test("entries of one conversation come in order of arrival, with the place that was looked at")
    func arrivals() async throws {
        let directory = try TemporaryDirectory()
        let store = try await Self.filled(directory)
        let dev = room("dev").conversation
        var found: [Cursor] = []
        var cursor = Cursor(0)
        while true {
            let arrivals = try await store.entries(after: cursor, limit: 3, in: dev)
            found += arrivals.entries.map(\.cursor)
            cursor = arrivals.through
            if !arrivals.hasMore { break }
        }
        #expect(found == (1...20).map { Cursor(Int64($0 * 4)) })
        #expect(cursor == Cursor(80))
        #expect(try await store.newestCursor() == Cursor(80))
    }

    @Test("what is read is not unread, whichever part was read")
    func unread() async throws {
        let directory = try TemporaryDirectory()
        let store = try await Self.filled(directory)
        func unread() async throws -> Int {
            try await store.summaries().first { $0.conversation == ops.conversation }?.unread ?? -1
        }
        #expect(try await unread() == 60)
        for (cursor, expected) in [(0, 60), (3, 57), (2, 57), (40, 30), (70, 7), (79, 0), (90, 0)] {
            try await store.markRead(ops.conversation, through: Cursor(Int64(cursor)))
            #expect(try await unread() == expected)
        }
        let summary = try await store.summaries().first { $0.conversation == ops.conversation }
        #expect(summary?.readCursor == Cursor(80))
        #expect(summary?.lastMessage.map { texts([$0]) } == ["2.19"])
        try await store.markRead(room("nowhere").conversation, through: Cursor(1))
        #expect(try await store.check().isEmpty)
    }

    @Test("a durable consumer keeps its place and never moves back")
    func consumers() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        #expect(try await store.consumer("mail") == nil)
        try await store.acknowledge(consumer: "mail", cursor: Cursor(7))
        try await store.acknowledge(consumer: "mail", cursor: Cursor(5))
        await store.close()
        store = try await directory.open()
        #expect(try await store.consumer("mail") == Cursor(7))
    }
}
