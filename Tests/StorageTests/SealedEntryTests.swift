import Crypto
import Engine
import Formats
import Testing

@testable import Storage

@Suite("Sealed entries in the store")
struct SealedEntryTests {
    private static func key() throws -> ConversationKey {
        let secret = [UInt8](repeating: 7, count: SecretKey.byteCount)
        return try ConversationKey(
            SecretKey(secret.span.bytes), suite: .xchacha20Poly1305, of: ops.conversation)
    }

    /// Two entries of bob's, sealed as his node does it.
    private static func run(_ log: inout LogWriter, with key: ConversationKey) -> VerifiedRun {
        var random = SystemRandomNumberGenerator()
        var prev: EntryID?
        let entries = (1...2).map { number in
            let content = Content.text("secret \(number)")
            var entry = Entry(
                entryClass: content.entryClass, time: time(UInt64(number)), deps: [],
                payload: .present([]))
            entry.seal(
                content, with: key, at: (log.key, UInt64(number), prev), using: &random)
            prev = entry.id(key: log.key, seq: UInt64(number), prev: prev)
            return entry
        }
        return log.run(entries)
    }

    @Test("are kept as they came, and opened when they are read, by who has the key")
    func opened() async throws {
        let key = try Self.key()
        var keyring = Keyring()
        keyring.use(key)
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        let run = Self.run(&log, with: key)
        let judge = LogsOfSomebody(keyring: keyring)
        let (verdicts, person) = run.verdicts(by: judge, person: nil)
        _ = try await store.commit(
            batch(Append(run: run, verdicts: verdicts, person: person, heldFrom: .max)))
        let page = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 9))
        let contents = page.entries.map { Message($0, by: keyring)?.content }
        #expect(contents == [.text("secret 1"), .text("secret 2")])
        #expect(page.entries.allSatisfy { Message($0, by: Keyring()) == nil })
        #expect(try await store.run(log.key, from: 1, through: 2) == run.run)
        #expect(try await store.check(by: judge).isEmpty)
        #expect(try await !store.check(by: LogsOfSomebody()).isEmpty, "without the key")
        await store.close()
        let bytes = try readFile(directory.database)
        #expect(bytes.firstRange(of: Array("secret".utf8)) == nil)
    }

    @Test("are kept and served, and never shown, where the key is not here")
    func locked() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(bob)
        let run = Self.run(&log, with: try Self.key())
        let outcome = try await store.commit(batch(Append(run: run, heldFrom: .max)))
        #expect(outcome.cursors == [[Cursor(1), Cursor(2)]])
        let page = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 9))
        #expect(page.entries.isEmpty)
        #expect(try await store.summaries().map(\.unread) == [0])
        #expect(try await store.run(log.key, from: 1, through: 2) == run.run)
        #expect(try await store.entry(run.ids[0])?.isSeen == false)
        #expect(try await store.check().isEmpty)
    }
}
