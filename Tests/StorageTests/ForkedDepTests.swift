import Engine
import Crypto
import Testing

@testable import Storage

/// An entry that names a later one as what it follows, where that one lies behind a fork.
@Suite("Deps behind forks")
struct ForkedDepTests {
    /// Two histories of bob's log, and eve's entry that follows, too early, the first of one.
    struct Story {
        let fork: ForkTests.Fork
        let behind: Append
        let proof: Batch

        init(at milliseconds: UInt64 = 3, heldFrom: Int = .max) throws {
            self.fork = try ForkTests.Fork()
            var eves = LogWriter(eve)
            self.behind = eves.append(
                [text("behind", at: milliseconds, deps: [self.fork.left.run.ids[0]])],
                heldFrom: heldFrom)
            var proof = Batch(number: 1)
            proof.proofs = [self.fork.proof]
            self.proof = proof
        }

        var id: EntryID { self.behind.run.ids[0] }
    }

    /// A batch that releases what is due.
    static func release(_ milliseconds: UInt64 = 100) -> Batch {
        var batch = Batch(number: 1)
        batch.release = time(milliseconds)
        return batch
    }

    static func history(_ store: MessageStore) async throws -> [StoredEntry] {
        try await store.history(HistoryQuery(conversation: ops.conversation, limit: 20)).entries
    }

    /// All orders of some things.
    static func orders<T>(_ all: [T]) -> [[T]] {
        guard all.count > 1 else { return [all] }
        return all.indices.flatMap { index in
            var rest = all
            let first = rest.remove(at: index)
            return Self.orders(rest).map { [first] + $0 }
        }
    }

    @Test(
        "what follows something behind a fork is shown by all, whatever they hold and in whatever order it came"
    )
    func disputedDeps() async throws {
        let story = try Story()
        // Replicas with one history, the other, or neither.
        let halves: [Append?] = [story.fork.left, story.fork.right, nil]
        var expected: [EntryID]?
        for half in halves {
            for order in Self.orders([0, 1, 2]) {
                let directory = try TemporaryDirectory()
                var store = try await directory.open()
                var told: [EntryID] = []
                _ = try await store.commit(batch(story.fork.common))
                var hasProof = false
                for part in order {
                    let next: Batch
                    switch part {
                    // Behind its proof nothing of a half is taken on.
                    case 0: next = half.flatMap { hasProof ? nil : batch($0) } ?? Self.release()
                    case 1: next = batch(story.behind)
                    default:
                        next = story.proof
                        hasProof = true
                    }
                    for written in [next, Self.release()] {
                        let outcome = try await store.commit(written)
                        for (append, cursors) in zip(written.appends, outcome.cursors) {
                            told += zip(append.run.ids, cursors).filter { $0.1 != nil }.map(\.0)
                        }
                        told += outcome.released.map(\.id)
                        told.removeAll { id in outcome.hidden.contains { $0.id == id } }
                    }
                    #expect(try await store.check().isEmpty)
                    await store.close()
                    store = try await directory.open()
                }
                #expect(told.filter { $0 == story.id }.count == 1)
                let shown = try await Self.history(store).filter { !$0.isDisputed }.map(\.id)
                #expect(shown.contains(story.id))
                #expect(shown == expected ?? shown)
                expected = shown
                await store.close()
            }
        }
    }

    @Test(
        "a proof that comes when the entry is hidden already shows it: held, then released with a new cursor"
    )
    func proofLast() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        let story = try Story()
        let shown = try await store.commit(batch(story.fork.common, story.behind))
        #expect(shown.cursors[1] == [Cursor(4)])
        let hiding = try await store.commit(batch(story.fork.left, number: 2))
        #expect(hiding.hidden.map(\.id) == [story.id])
        let revealed = try await store.commit(story.proof)
        #expect(revealed.held == HeldEntries(count: 1, first: time(3)))
        #expect(revealed.released.isEmpty && revealed.hidden.isEmpty)
        await store.close()
        // What a killed daemon has not released yet, the next start finds.
        store = try await directory.open()
        #expect(try await store.snapshot().held == HeldEntries(count: 1, first: time(3)))
        #expect(try await store.check().isEmpty)
        let released = try await store.commit(Self.release())
        #expect(released.released.map(\.id) == [story.id])
        #expect(released.released.map(\.cursor) == [Cursor(7)])
        #expect(released.released.map(\.isDisputed) == [false])
        #expect(released.held.count == 0)
        #expect(try await store.commit(Self.release()).released.isEmpty)
        let arrivals = try await store.entries(after: Cursor(0), limit: 20, in: ops.conversation)
        #expect(
            arrivals.entries.map(\.cursor).filter { $0 >= Cursor(4) } == [5, 6, 7].map(Cursor.init))
        let summary = try #require(try await store.summaries().first)
        #expect(summary.unread == 4)
        #expect(try await store.counts().entries == 6)
        #expect(try await store.check().isEmpty)
    }

    @Test("an entry that gives its number up does not leave it to the next")
    func numbers() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        let story = try Story()
        _ = try await store.commit(batch(story.fork.common, story.fork.left))
        // The entry has the greatest number when the proof comes.
        _ = try await store.commit(batch(story.behind, number: 2))
        _ = try await store.commit(story.proof)
        await store.close()
        store = try await directory.open()
        var adas = LogWriter(ada)
        let outcome = try await store.commit(batch(adas.append([text("next", at: 9)])))
        #expect(outcome.cursors == [[Cursor(7)]])
        #expect(try await store.counts().entries == 7)
        #expect(try await store.check().isEmpty)
    }

    @Test("an entry that is ahead of time stays held when what hid it is disputed")
    func ahead() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let story = try Story(heldFrom: 0)
        _ = try await store.commit(batch(story.fork.common, story.fork.left))
        let hidden = try await store.commit(batch(story.behind, number: 2))
        #expect(hidden.held.count == 0)
        let revealed = try await store.commit(story.proof)
        #expect(revealed.held == HeldEntries(count: 1, first: time(3)))
        #expect(try await store.commit(Self.release(2)).released.isEmpty)
        #expect(try await store.commit(Self.release(3)).released.map(\.id) == [story.id])
    }

    @Test("an entry is shown only when all that hid it is disputed")
    func another() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let fork = try ForkTests.Fork()
        var adas = LogWriter(ada)
        var eves = LogWriter(eve)
        let later = adas.append([text("later", at: 5)])
        let behind = eves.append([
            text("behind", at: 3, deps: [fork.left.run.ids[0], later.run.ids[0]])
        ])
        _ = try await store.commit(batch(fork.common, fork.left, later, behind))
        var end = Batch(number: 2)
        end.proofs = [fork.proof]
        #expect(try await store.commit(end).held.count == 0)
        #expect(try await Self.history(store).allSatisfy { $0.id != behind.run.ids[0] })
        #expect(try await store.check().isEmpty)
    }

    @Test("a join that is shown again makes its author a member again")
    func membership() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let fork = try ForkTests.Fork()
        var eves = LogWriter(eve)
        let join = eves.append([
            entry(.join(ops), at: time(3), deps: [fork.left.run.ids[0]])
        ])
        _ = try await store.commit(batch(fork.common, fork.left, join))
        #expect(try await store.snapshot().members[ops.conversation]?.contains(eve.id) != true)
        var end = Batch(number: 2)
        end.proofs = [fork.proof]
        end.release = time(100)
        let outcome = try await store.commit(end)
        #expect(outcome.released.map(\.id) == join.run.ids)
        let snapshot = try await store.snapshot()
        #expect(snapshot.members[ops.conversation]?.contains(eve.id) == true)
        #expect(snapshot.logs[eves.key]?.isHeadShown == true)
        #expect(try await store.check().isEmpty)
    }

    /// Takes back what the schema got behind its second version.
    private static let toSecondVersion = """
        DROP TABLE numbers; DROP TABLE ids; DROP TABLE indexing;
        CREATE INDEX entries_by_id ON entries (prefix); PRAGMA user_version = 2
        """

    @Test("a file of the second version is brought to what this one would have written")
    func secondVersion() async throws {
        let directory = try TemporaryDirectory()
        let story = try Story()
        var adas = LogWriter(ada)
        var eves = LogWriter(eve, incarnation: 2)
        let later = adas.append([text("later", at: 50)])
        let hidden = eves.append([text("hidden", at: 40, deps: [later.run.ids[0]])])
        var store = try await directory.open()
        _ = try await store.commit(batch(story.fork.common, later, hidden))
        _ = try await store.commit(batch(story.fork.left, story.behind, number: 2))
        await store.close()
        do {
            // As the second version had it: what hides is noted nowhere, and hides for good.
            let database = try Database(path: directory.database)
            try database.execute("DELETE FROM waiting; \(Self.toSecondVersion)")
        }
        // Without the proof the entry stays hidden, and what hides it is noted again.
        store = try await directory.open()
        #expect(try await store.check().isEmpty)
        _ = try await store.commit(story.proof)
        await store.close()
        do {
            let database = try Database(path: directory.database)
            try database.execute(
                """
                UPDATE entries SET arrival = 8, flags = 4 WHERE arrival < 0;
                DELETE FROM waiting; \(Self.toSecondVersion)
                """)
        }
        store = try await directory.open()
        #expect(try await store.check().isEmpty)
        #expect(try await store.snapshot().held == HeldEntries(count: 1, first: time(3)))
        let released = try await store.commit(Self.release())
        #expect(released.released.map(\.id) == [story.id])
        #expect(released.released.map(\.cursor) == [Cursor(9)])
        #expect(try await store.counts().entries == 8)
        #expect(try await Self.history(store).allSatisfy { $0.id != hidden.run.ids[0] })
        #expect(try await store.check().isEmpty)
    }
}
