import Crypto
import Engine
import Formats
import Storage
import Testing

@Suite("Entries of a revoked device")
struct RevokedEntryTests {
    private static func keys(_ byte: UInt8) throws -> PersonKeys {
        try PersonKeys([UInt8](repeating: byte, count: 64).span.bytes)
    }

    private static func revocation(by person: PersonKeys, at milliseconds: UInt64) -> Record {
        Record(
            revoking: bob.id, Revocation(of: person.certify(bob.signer, at: 1), stands: false),
            at: time(milliseconds), by: person)
    }

    @Test("that were held and are later are never shown; of two people's words each is kept")
    func held() async throws {
        let directory = try TemporaryDirectory()
        var store = try await directory.open()
        let (person, other) = (try Self.keys(7), try Self.keys(8))
        var log = LogWriter(bob)
        let opening = LogOpening(certificate: person.certify(bob.signer, at: 1), closes: [])
        let run = log.run([
            entry(.open(opening), at: time(1)), text("before", at: 2), text("early", at: 20),
            text("late", at: 40), entry(.join(ops.name), at: time(50)),
        ])
        let (verdicts, owner) = run.verdicts(by: Keyring(), person: nil)
        try #require(owner == person.id)
        let append = Append(run: run, verdicts: verdicts, person: owner, heldFrom: 2)
        _ = try await store.commit(batch(append))

        var end = Batch(number: 2)
        end.records = [
            Self.revocation(by: person, at: 30), Self.revocation(by: other, at: 10),
        ].sorted { $0.key < $1.key }
        end.release = Due(known: time(100), others: time(100))
        let outcome = try await store.commit(end)
        #expect(texts(outcome.released) == ["early"])
        #expect(outcome.held.count == 0)
        await store.close()
        store = try await directory.open()
        let page = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 9))
        #expect(texts(page.entries) == ["before", "early"])
        let snapshot = try await store.snapshot()
        #expect(snapshot.records.sorted { $0.key < $1.key } == end.records)
        #expect(snapshot.members.isEmpty)
        #expect(try await store.check(by: Keyring()).isEmpty)

        var drop = Batch(number: 1)
        drop.droppedRecords = [RecordKey(revoking: bob.id, by: other.id)]
        _ = try await store.commit(drop)
        #expect(try await store.snapshot().records == [Self.revocation(by: person, at: 30)])
    }

    @Test("of a group are not shown where a cut is known alone, and are as they should be")
    func cut() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let person = try Self.keys(7)
        var log = LogWriter(bob)
        let opening = LogOpening(certificate: person.certify(bob.signer, at: 1), closes: [])
        let run = log.run([
            entry(.open(opening), at: time(1)), text("early", at: 20), text("silent", at: 31),
            text("held", at: 40),
        ])
        var (verdicts, owner) = run.verdicts(by: Keyring(), person: nil)
        verdicts[2] = verdicts[2].silenced
        _ = try await store.commit(
            batch(Append(run: run, verdicts: verdicts, person: owner, heldFrom: 3)))
        let cut = Act(
            cutting: bob.id, number: time(30).milliseconds, in: ops.conversation,
            basis: [], time: time(50), by: person)
        var end = Batch(number: 2)
        end.groups.acts = [cut]
        end.release = Due(known: time(100), others: time(100))
        let outcome = try await store.commit(end)
        #expect(outcome.released.isEmpty && outcome.held.count == 0)
        #expect(try await store.check(by: Keyring()).isEmpty)
    }

    @Test("that came after the revocation are as they should be")
    func silenced() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        let person = try Self.keys(7)
        var log = LogWriter(bob)
        let opening = LogOpening(certificate: person.certify(bob.signer, at: 1), closes: [])
        let run = log.run([entry(.open(opening), at: time(1)), text("late", at: 40)])
        var (verdicts, owner) = run.verdicts(by: Keyring(), person: nil)
        verdicts[1] = verdicts[1].silenced
        var all = batch(Append(run: run, verdicts: verdicts, person: owner, heldFrom: 2))
        all.records = [Self.revocation(by: person, at: 30)]
        _ = try await store.commit(all)
        let page = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 9))
        #expect(page.entries.isEmpty)
        #expect(try await store.check(by: Keyring()).isEmpty)
    }
}
