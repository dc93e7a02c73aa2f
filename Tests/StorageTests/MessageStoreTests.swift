import Engine
import Formats
import Crypto
import Storage
import Testing

@Suite("Message store")
struct MessageStoreTests {
    @Test("a new store is empty and has no incarnation")
    func empty() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let snapshot = try await store.snapshot()
        #expect(snapshot.incarnation == nil)
        #expect(snapshot.logs.isEmpty && snapshot.conversations.isEmpty && snapshot.members.isEmpty)
        #expect(try await store.counts().entries == 0)
        #expect(try await store.summaries().isEmpty)
        #expect(try await store.entries(after: Cursor(0), limit: 10).entries.isEmpty)
    }

    @Test("a committed run is in history, in the arrivals and in the snapshot")
    func append() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        let append = log.append([text("one", at: 1), text("two", at: 2), text("three", at: 3)])
        let outcome = try await store.commit(batch(append, number: 9))
        #expect(outcome.number == 9)
        #expect(outcome.cursors == [[Cursor(1), Cursor(2), Cursor(3)]])
        #expect(outcome.released.isEmpty && outcome.held.count == 0)

        let page = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 10))
        #expect(texts(page.entries) == ["one", "two", "three"] && !page.hasMore)
        #expect(page.entries.map(\.id) == log.ids)
        let arrivals = try await store.entries(after: Cursor(1), limit: 10)
        #expect(texts(arrivals.entries) == ["two", "three"])
        #expect(arrivals.through == Cursor(3) && !arrivals.hasMore)

        let snapshot = try await store.snapshot()
        let expected = StoredLog(head: log.head, forkPoint: nil, isHeadShown: true)
        #expect(snapshot.logs == [log.key: expected])
        #expect(snapshot.latestShown == [ops.conversation: time(3)])
    }

    @Test("a run is read back as it was written, also after the store was opened again")
    func run() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        var log = LogWriter(bob)
        let first = log.append([text("one", at: 1), text("two", at: 2)])
        let second = log.append([text("three", at: 3)])
        _ = try await store.commit(batch(first, second))
        #expect(try await store.run(log.key, from: 1, through: 2) == first.run.run)
        #expect(try await store.run(log.key, from: 3, through: 3) == second.run.run)
        let whole = try #require(try await store.run(log.key, from: 1, through: 3))
        #expect(whole.entries.count == 3 && whole.verified() != nil)
        let rest = try #require(try await store.run(log.key, from: 2, through: 9))
        #expect(rest.first == 2 && rest.prev == log.ids[0] && rest.verified() != nil)
        #expect(try await store.run(log.key, from: 4, through: 9) == nil)
        #expect(try await store.run(log.key, from: 1, through: 2, entryLimit: 1) == nil)

        await store.close()
        store = try await directory.open()
        #expect(try await store.run(log.key, from: 1, through: 3) == whole)
    }
}
