import Engine
import Formats
import TestSupport
import Testing

@testable import Storage

@Suite("Stored positions of members and of the user") struct PositionTests {
    private static func position(
        _ stored: UInt64, read: UInt64 = 0, of peer: PeerID = bob.id, in key: LogKey
    ) -> Batch {
        var batch = Batch(number: 2)
        batch.positions = [key: [peer: MemberPosition(stored: stored, read: read)]]
        return batch
    }

    @Test("never move back, are there after a restart, and tell of the last message that they pass")
    func members() async throws {
        let directory = try TemporaryDirectory()
        var log = LogWriter(ada)
        let store = try await directory.open()
        let append = log.append([
            text("a", at: 10), text("b", at: 20), entry(.join(nil), at: time(30)),
            text("c", at: 40),
        ])
        _ = try await store.commit(batch(append))
        let (key, run) = (log.key, append.run)
        let first = try await store.commit(Self.position(3, read: 1, in: key))
        #expect(
            first.ownNotices.map(\.notice.event) == [
                .delivered(ops.conversation, run.ids[1], to: bob.id),
                .read(ops.conversation, run.ids[0], by: bob.id),
            ])
        // What is read has come; and what was told is not told again.
        let second = try await store.commit(Self.position(2, read: 3, in: key))
        #expect(
            second.ownNotices.map(\.notice.event) == [
                .read(ops.conversation, run.ids[1], by: bob.id)
            ])
        let third = try await store.commit(Self.position(4, read: 3, in: key))
        #expect(
            third.ownNotices.map(\.notice.event) == [
                .delivered(ops.conversation, run.ids[3], to: bob.id)
            ])
        #expect(try await store.commit(Self.position(4, read: 3, in: key)).ownNotices.isEmpty)
        // Of each member only the latest of a sort is kept.
        let kept = try await store.entries(after: Cursor(0), limit: 99, withNotices: true).notices
        #expect(kept == [second.ownNotices[0], third.ownNotices[0]])
        #expect(try await store.check().isEmpty)
        #expect(try await store.counts().entries == 4)
        await store.close()
        let snapshot = try await directory.open().snapshot()
        #expect(snapshot.positions == [key: [bob.id: MemberPosition(stored: 4, read: 3)]])
    }

    @Test("what the user reads is told with what is left, and is known by log")
    func reads() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var logs = [LogWriter(bob), LogWriter(eve)]
        for index in 0..<6 {
            _ = try await store.commit(
                batch(logs[index % 2].append([text("\(index)", at: UInt64(10 * index))])))
        }
        for (cursor, expected) in [(3, [UInt64(2), 1]), (2, []), (6, [3, 3])] {
            var batch = Batch(number: 9)
            batch.reads = [ops.conversation: Cursor(Int64(cursor))]
            let outcome = try await store.commit(batch)
            let read = outcome.reads[ops.conversation] ?? [:]
            #expect(read.values.sorted(by: >) == expected.sorted(by: >))
            let left = UInt32(6 - cursor)
            #expect(
                outcome.ownNotices.map(\.notice.event)
                    == (expected.isEmpty
                        ? [] : [.seen(ops.conversation, unread: left, mentions: 0)]))
        }
        let kept = try await store.entries(after: Cursor(0), limit: 99, withNotices: true).notices
        #expect(kept.count == 1)
        let snapshot = try await store.snapshot()
        #expect(snapshot.positions.count == 2)
        #expect(snapshot.positions.values.allSatisfy { $0 == [ada.id: MemberPosition(read: 3)] })
        #expect(try await store.check().isEmpty)
    }

    @Test("a long way is read by the ends of the logs, and comes to the same")
    func longReads() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        var elsewhere = LogWriter(eve, room("dev"))
        var time: UInt64 = 0
        for _ in 0..<40 {
            for writer in [0, 1] {
                let entries = (0..<64).map { _ -> Entry in
                    time += 1
                    return text("x", at: time)
                }
                _ = try await store.commit(
                    batch(writer == 0 ? log.append(entries) : elsewhere.append(entries)))
            }
        }
        var batch = Batch(number: 9)
        batch.reads = [ops.conversation: Cursor(5_000)]
        let outcome = try await store.commit(batch)
        // 5,000 are 39 turns of 128 and 8 more.
        #expect(outcome.reads[ops.conversation]?.values.map { $0 } == [39 * 64 + 8])
    }

    @Test(
        "messages that call the user are counted while they are unread, and no longer once erased")
    func mentions() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        var append = log.append([
            text("hi", at: 10), text("@ada", at: 20), text("@ada?", at: 30),
        ])
        for index in 1...2 { append.verdicts[index].isMention = true }
        var first = Batch(number: 1)
        first.appends = [append]
        _ = try await store.commit(first)
        func mentions() async throws -> [Int] {
            let summary = try await store.summaries().first
            return [summary?.unread ?? -1, summary?.mentions ?? -1]
        }
        #expect(try await mentions() == [3, 2])
        try await store.markRead(ops.conversation, through: Cursor(2))
        #expect(try await mentions() == [1, 1])
        #expect(try await store.check().isEmpty)
        var blocked = Batch(number: 2)
        blocked.people = [bob.id: .blocked]
        _ = try await store.commit(blocked)
        #expect(try await mentions() == [0, 0])
        blocked.people = [bob.id: .unsaid]
        _ = try await store.commit(blocked)
        #expect(try await mentions() == [1, 1])
    }

    @Test("what the user's other device wrote is not unread, but the last message")
    func ofOtherDevice() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var other = LogWriter(bob)
        var bobs = LogWriter(eve)
        var first = Batch(number: 1)
        var own = other.append([text("hi", at: 10), text("there", at: 30)])
        for index in 0...1 { own.verdicts[index].isOfUser = true }
        first.appends = [own, bobs.append([text("who?", at: 20)])]
        _ = try await store.commit(first)
        let summary = try await store.summaries().first
        #expect(summary?.unread == 1 && summary?.lastMessage?.time == time(30))
        #expect(try await store.check().isEmpty)
        // Read to the first of them, and counted anew from there.
        try await store.markRead(ops.conversation, through: Cursor(1))
        #expect(try await store.summaries().first?.unread == 1)
        var second = Batch(number: 2)
        second.people = [eve.id: .blocked]
        _ = try await store.commit(second)
        #expect(try await store.summaries().first?.unread == 0)
        #expect(try await store.check().isEmpty)
    }

    @Test("own messages behind an entry wait, and since when")
    func waiting() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(ada)
        _ = try await store.commit(
            batch(log.append([text("a", at: 10), text("b", at: 20), text("c", at: 30)])))
        let found = try await store.waiting(behind: [(log.key, 1)])
        #expect(found == WaitingMessages(messages: 2, logs: [log.key], since: time(20)))
        #expect(try await store.waiting(behind: [(log.key, 3)]) == WaitingMessages())
    }

    /// A store with one log of so many entries, written at 1, 2, and so on.
    private static func long(
        _ count: Int, in directory: borrowing TemporaryDirectory, _ make: (UInt64) -> Entry
    ) async throws -> (store: MessageStore, log: LogKey) {
        let store = try await directory.open()
        var log = LogWriter(ada)
        for first in stride(from: 1, through: count, by: Limits.runEntries) {
            let times = UInt64(first)...UInt64(min(first + Limits.runEntries - 1, count))
            _ = try await store.commit(batch(log.append(times.map(make))))
        }
        return (store, log.key)
    }

    @Test("of more messages than are looked at, those between are counted by their share")
    func waitingMany() async throws {
        let directory = try TemporaryDirectory()
        let count = 2 * StoreFile.waitingLimit
        let (store, log) = try await Self.long(count, in: directory) { text("a", at: $0) }
        let found = try await store.waiting(behind: [(log, 10)])
        #expect(
            found
                == WaitingMessages(
                    messages: count - 10, isEstimate: true, logs: [log], since: time(11)))
        #expect(try await store.waiting(behind: [(log, UInt64(count - 10))]).messages == 10)
    }

    @Test("what is no message does not wait, also where much of it stands behind the last entry")
    func waitingOther() async throws {
        let directory = try TemporaryDirectory()
        let count = 2 * StoreFile.waitingLimit
        let (store, log) = try await Self.long(count, in: directory) {
            entry(.join(nil), at: time($0))
        }
        #expect(try await store.waiting(behind: [(log, 1)]) == WaitingMessages())
        // Behind a long log another one is looked at all the same.
        var other = LogWriter(bob)
        _ = try await store.commit(
            batch(other.append([text("b", at: 5_000), entry(.join(nil), at: time(5_001))])))
        let found = try await store.waiting(behind: [(log, 1), (other.key, 0)])
        #expect(found == WaitingMessages(messages: 1, logs: [other.key], since: time(5_000)))
        #expect(try await store.waiting(behind: [(log, 1), (other.key, 1)]).messages == 0)
    }
}
