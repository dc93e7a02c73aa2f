import Crypto
import Engine
import Formats
import Testing

@testable import Storage

@Suite("Logs that give way") struct DroppingTests {
    private let directory: TemporaryDirectory

    init() throws { self.directory = try TemporaryDirectory() }

    /// A batch that takes logs off the disk.
    private static func dropping(_ keys: LogKey..., number: UInt64) -> Batch {
        var batch = Batch(number: number)
        batch.drops = keys
        return batch
    }

    // Shows: daemon.rooms
    @Test("nothing is left of a log: entries, members, unread counts, references, people")
    func whole() async throws {
        let store = try await self.directory.open()
        var kept = LogWriter(bob)
        var dropped = LogWriter(eve)
        let join = dropped.append([entry(.join(ops.name), at: time(1))])
        let said = dropped.append([text("gone", at: 2), text("soon", at: 9)])
        _ = try await store.commit(batch(join, said, kept.append([text("stays", at: 3)])))
        #expect(try await store.snapshot().members[ops.conversation] == [eve.id])
        var outcome = try await store.commit(Self.dropping(dropped.key, number: 2))
        #expect(outcome.drops.map(\.isWhole) == [true])
        #expect(outcome.drops[0].shown.contains(2) && outcome.drops[0].attendance == nil)
        let snapshot = try await store.snapshot()
        #expect(Array(snapshot.logs.keys) == [kept.key] && snapshot.members.isEmpty)
        #expect(snapshot.latestShown[ops.conversation] == time(3))
        let summary = try await store.summaries()
        #expect(summary.map(\.unread) == [1])
        #expect(try await store.check() == [])
        // It may come back, from its first entry on.
        var again = LogWriter(eve)
        let back = again.append([entry(.join(ops.name), at: time(1))])
        outcome = try await store.commit(batch(back, number: 3))
        #expect(outcome.cursors == [[Cursor(5)]])
        #expect(try await store.check() == [])
    }

    @Test("a cursor that was given is never given again, whatever goes")
    func cursors() async throws {
        let store = try await self.directory.open()
        var (kept, dropped) = (LogWriter(bob), LogWriter(eve))
        _ = try await store.commit(
            batch(
                kept.append([text("one", at: 1)]), dropped.append([text("two", at: 2)]),
                dropped.append([text("held", at: 3)], heldFrom: 0)))
        _ = try await store.commit(Self.dropping(dropped.key, number: 2))
        let newest = try await store.newestCursor()
        #expect(newest >= Cursor(2))
        await store.close()
        let again = try await self.directory.open()
        #expect(try await again.newestCursor() == newest)
        #expect(try await again.snapshot().incarnation == nil)
        let outcome = try await again.commit(batch(kept.append([text("three", at: 4)]), number: 1))
        #expect(outcome.cursors[0][0].map { $0 > newest } == true)
        #expect(outcome.held.count == 0)
        #expect(try await again.check() == [])
    }

    @Test("a long log goes in parts, and is a log at any time")
    func parts() async throws {
        let store = try await self.directory.open()
        var dropped = LogWriter(eve)
        let runs = 2 * Limits.droppedPerBatch / Limits.runEntries + 3
        for run in 0..<runs {
            let entries = (0..<Limits.runEntries).map {
                text("x", at: UInt64(run * Limits.runEntries + $0 + 1))
            }
            _ = try await store.commit(batch(dropped.append(entries), number: UInt64(run + 1)))
        }
        var heads: [UInt64] = []
        var number = UInt64(runs)
        while true {
            number += 1
            let outcome = try await store.commit(Self.dropping(dropped.key, number: number))
            #expect(try await store.check() == [])
            if outcome.drops[0].isWhole { break }
            heads.append(try #require(try await store.snapshot().logs[dropped.key]).head.seq)
        }
        #expect(heads == [1_408, 384])
    }

    @Test("a message that gives way takes back what was said of it, until it is here again")
    func references() async throws {
        let store = try await self.directory.open()
        var (written, said) = (LogWriter(eve), LogWriter(bob))
        let message = written.append([text("hello", at: 1)])
        _ = try await store.commit(batch(message))
        let target = EntryTarget(log: written.key.name, seq: 1, id: written.ids[0])
        let reaction = said.append([
            entry(.reaction(try #require(Reaction("+1", to: target))), at: time(2))
        ])
        _ = try await store.commit(batch(reaction, number: 2))
        _ = try await store.commit(Self.dropping(written.key, number: 3))
        #expect(try await store.check() == [])
        _ = try await store.commit(batch(message, number: 4))
        #expect(try await store.check() == [])
        let shown = try await store.history(
            HistoryQuery(conversation: ops.conversation, limit: 10)
        ).entries
        #expect(shown.first { $0.key == written.key }?.references.count == 1)
    }

    @Test("what a log takes is said with each batch that changes it, and outlasts a start")
    func sizes() async throws {
        let store = try await self.directory.open()
        var log = LogWriter(eve)
        func size(_ outcome: BatchOutcome) throws -> UInt64 {
            try #require(outcome.sizes.last { $0.key == log.key }).bytes
        }
        let message = log.append([text("hello", at: 1)])
        let one = try size(try await store.commit(batch(message)))
        #expect(one > 256)
        let long = String(repeating: "x", count: 5_000)
        let more = log.append([text(long, at: 2), text("last", at: 9)])
        let two = try size(try await store.commit(batch(more, number: 2)))
        #expect(two > one + 5_000)
        var erasing = Batch(number: 3)
        erasing.expiry = Expiry(conversation: ops.conversation, .before(time(3)))
        let three = try size(try await store.commit(erasing))
        #expect(three < two - 4_900 && three >= 768)
        #expect(try await store.check() == [])
        #expect(try await store.snapshot().sizes == [LogSize(key: log.key, bytes: Int64(three))])
        _ = try await store.commit(batch(log.append([text("more", at: 10)]), number: 4))
        let dropped = try await store.commit(Self.dropping(log.key, number: 5))
        #expect(!dropped.sizes.contains { $0.key == log.key })
        #expect(try await store.check() == [])
    }

    // Shows: daemon.disk
    @Test("beyond its bound the file takes no entries, says so, and does again once there is room")
    func bound() async throws {
        let store = try await self.directory.open()
        try await store.limit(bytes: 1 << 20)
        var log = LogWriter(bob)
        let words = String(repeating: "x", count: 20_000)
        var (number, failure) = (UInt64(0), StoreFailure?.none)
        while failure == nil, number < 200 {
            number += 1
            let before = log
            do throws(StoreFailure) {
                _ = try await store.commit(
                    batch(log.append([text(words, at: number)]), number: number))
            } catch {
                failure = error
                log = before
            }
        }
        #expect(failure?.reason == .full && failure?.remedy.contains("stoad.conf") == true)
        #expect(number > 20 && number < 60)
        // A small one no longer fits either; to leave does, as forgetting begins, and so does what takes
        // something off the disk.
        for text in (0..<400).map({ text("small \($0)", at: number + 1 + UInt64($0)) }) {
            let before = log
            do throws(StoreFailure) {
                _ = try await store.commit(batch(log.append([text]), number: number))
            } catch { log = before }
        }
        var leaving = Batch(number: number)
        leaving.membership[ops.conversation] = ConversationMembership(.room(ops), isJoined: false)
        _ = try await store.commit(leaving)
        var expiring = Batch(number: number)
        expiring.expiry = Expiry(conversation: ops.conversation, .before(time(number / 2)))
        _ = try await store.commit(expiring)
        _ = try await store.commit(
            batch(log.append([text(words, at: number + 500)]), number: number + 1))
        #expect(try await store.check() == [])
    }

    @Test("who brought a log, and what is noted of it, outlasts a start")
    func charges() async throws {
        let store = try await self.directory.open()
        var log = LogWriter(eve)
        var append = log.append([text("hello", at: 1)])
        append.source = Source("192.0.2.7:4100")
        var first = batch(append)
        first.logMarks[log.key] = LogMarks(isClosed: true)
        _ = try await store.commit(first)
        var second = Batch(number: 2)
        second.logMarks[log.key] = LogMarks(isClosed: true, answeredDay: 20_000)
        _ = try await store.commit(second)
        let stored = try #require(try await store.snapshot().charges[log.key])
        #expect(stored.source == Source("192.0.2.7:4100"))
        #expect(stored.marks == LogMarks(isClosed: true, answeredDay: 20_000) && stored.number > 0)
    }
}
