import Engine
import Formats
import Crypto
import Storage
import Testing

@Suite("Forks")
struct ForkTests {
    /// Three entries, then two histories that differ from the fourth on.
    struct Fork {
        var log = LogWriter(bob)
        let common: Append
        let left: Append
        let right: Append
        let proof: ForkProof

        init(heldFrom: Int = .max) throws {
            self.common = self.log.append([
                text("one", at: 1), text("two", at: 2), entry(.join(ops.name), at: time(3)),
            ])
            var other = self.log
            self.left = self.log.append(
                [text("four", at: 4), entry(.leave, at: time(5))], heldFrom: heldFrom)
            self.right = other.append([text("FOUR", at: 4)])
            self.proof = try #require(ForkProof(self.left.run, self.right.run))
        }
    }

    @Test("a proof moves the head back and marks what was shown as disputed")
    func proof() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        let fork = try Fork()
        _ = try await store.commit(batch(fork.common, fork.left))
        #expect(try await store.snapshot().members.isEmpty)
        var end = Batch(number: 2)
        end.proofs = [fork.proof]
        _ = try await store.commit(end)
        await store.close()
        store = try await directory.open()
        let snapshot = try await store.snapshot()
        #expect(
            snapshot.logs[fork.log.key]
                == StoredLog(head: fork.common.run.head, forkPoint: 4, isHeadShown: true))
        #expect(snapshot.members == [ops.conversation: [bob.id]])
        let page = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 9))
        #expect(page.entries.map(\.isDisputed) == [false, false, false, true, true])
        #expect(try await store.forkProof(fork.log.key) == fork.proof)
        #expect(try await store.run(fork.log.key, from: 1, through: 9) == fork.common.run.run)
        #expect(try await store.run(fork.log.key, from: 4, through: 9) == nil)
        #expect(try await store.check().isEmpty)
    }

    @Test("held entries behind a fork point are never shown")
    func held() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let fork = try Fork(heldFrom: 0)
        var both = batch(fork.common, fork.left)
        both.proofs = [fork.proof]
        both.release = Due(known: time(100), others: time(100))
        let outcome = try await store.commit(both)
        #expect(outcome.held.count == 0 && outcome.released.isEmpty)
        let page = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 9))
        #expect(page.entries.count == 3)
        #expect(try await store.check().isEmpty)
    }

    @Test("a proof that comes first ends the log where it will end")
    func proofFirst() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let fork = try Fork()
        var end = Batch(number: 1)
        end.proofs = [fork.proof]
        _ = try await store.commit(end)
        #expect(
            try await store.snapshot().logs
                == [fork.log.key: StoredLog(head: .start, forkPoint: 4, isHeadShown: false)])
        _ = try await store.commit(batch(fork.common))
        #expect(try await store.snapshot().logs[fork.log.key]?.head == fork.common.run.head)
        #expect(try await store.check().isEmpty)
    }

    // Shows: daemon.disk
    @Test("the proof of a fork is charged to its log")
    func charged() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let fork = try Fork()
        let before = try await store.commit(batch(fork.common)).sizes
        var end = Batch(number: 2)
        end.proofs = [fork.proof]
        let after = try await store.commit(end).sizes
        let (less, more) = (try #require(before.first), try #require(after.first))
        #expect(less.key == more.key && after.count == 1)
        #expect(Int(more.bytes - less.bytes) == fork.proof.encoded.count)
        #expect(try await store.snapshot().sizes == after)
        #expect(try await store.check().isEmpty)
    }

    @Test("the smallest proven fork point counts, the first proof of a point stays")
    func smallest() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let fork = try Fork()
        var early = LogWriter(bob)
        let first = early.append([text("ONE", at: 1)])
        // A run that begins a log has one entry.
        var begun = LogWriter(bob)
        let one = begun.append([text("one", at: 1)])
        let prefix = try #require(ForkProof(one.run, first.run))
        var other = LogWriter(bob)
        let second = other.append([text("Uno", at: 1)])
        let same = try #require(ForkProof(one.run, second.run))
        _ = try await store.commit(batch(fork.common, fork.left))
        var end = Batch(number: 2)
        end.proofs = [fork.proof, prefix, fork.proof, same]
        _ = try await store.commit(end)
        #expect(try await store.forkProof(fork.log.key) == prefix)
        #expect(
            try await store.snapshot().logs
                == [
                    fork.log.key: StoredLog(
                        head: .start, forkPoint: 1, isHeadShown: false, person: somebody)
                ])
        #expect(try await store.snapshot().members.isEmpty)
        #expect(try await store.run(fork.log.key, from: 1, through: 9) == nil)
        let page = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 9))
        #expect(page.entries.allSatisfy(\.isDisputed) && page.entries.count == 5)
        #expect(try await store.check().isEmpty)
    }

    @Test("a run that attests entries before a fork point is served and taken whole")
    func evidence() async throws {
        let one = try TemporaryDirectory()
        let two = try TemporaryDirectory()
        let from = try await one.open()
        let to = try await two.open()
        var log = LogWriter(bob)
        // One attestation, behind the point at which the log will fork.
        let start = log
        let whole = log.append([text("one", at: 1), text("two", at: 2), text("three", at: 3)])
        var other = start
        _ = other.append([text("one", at: 1), text("two", at: 2)])
        let right = other.append([text("THREE", at: 3)])
        let left = try #require(whole.run.suffix(from: 3))
        let proof = try #require(ForkProof(left, right.run))
        var end = Batch(number: 1)
        end.proofs = [proof]
        _ = try await from.commit(batch(whole))
        _ = try await from.commit(end)
        _ = try await to.commit(end)
        let run = try #require(try await from.run(log.key, from: 1, through: 9))
        #expect(run == whole.run.run)
        let outcome = try await to.commit(batch(whole))
        #expect(outcome.cursors == [[Cursor(1), Cursor(2), nil]])
        let head = Head(seq: 2, id: log.ids[1], time: time(2))
        let stored = StoredLog(head: head, forkPoint: 3, isHeadShown: true)
        #expect(try await to.snapshot().logs == [log.key: stored])
        #expect(try await from.snapshot().logs == [log.key: stored])
        #expect(try await to.run(log.key, from: 1, through: 2) == whole.run.run)
        #expect(try await to.check().isEmpty)

        // The same when the proof and the run come in one batch.
        let three = try TemporaryDirectory()
        let third = try await three.open()
        end.appends = [whole]
        #expect(try await third.commit(end).cursors == [[Cursor(1), Cursor(2), nil]])
        #expect(try await third.snapshot().logs == [log.key: stored])
        #expect(try await third.forkProof(log.key) == proof)
    }

    @Test("an append behind a proven fork point traps")
    func behind() async {
        await #expect(processExitsWith: .failure) {
            let directory = try TemporaryDirectory()
            let store = try await directory.open()
            let fork = try Fork()
            var end = batch(fork.common)
            end.proofs = [fork.proof]
            _ = try await store.commit(end)
            _ = try await store.commit(batch(fork.left))
        }
    }
}
