import Crypto
import Engine
import Formats
import TestSupport
import Testing

@testable import Storage

/// Each version of the store that was in use has a frozen file here, as SQL.
@Suite("Versions of the store")
struct VersionTests {
    private static func frozen(_ version: Int) throws -> TemporaryDirectory {
        let directory = try TemporaryDirectory()
        try writeFile(directory.database, [])
        let path = TestFiles.tests + "/StorageTests/Version\(version).sql"
        let script = try #require(TestFiles.read(path))
        let database = try Database(path: directory.database)
        try database.execute("PRAGMA locking_mode = EXCLUSIVE; PRAGMA journal_mode = WAL")
        try database.execute(String(decoding: script, as: UTF8.self))
        return directory
    }

    private static func version(_ directory: TemporaryDirectory) throws -> Int64 {
        try Database(path: directory.database).int("PRAGMA user_version")
    }

    @Test("a file of version 1 becomes one of this version, with all that was in it")
    func first() async throws {
        let directory = try Self.frozen(1)
        for _ in 0..<2 {
            let store = try await directory.open()
            let snapshot = try await store.snapshot()
            #expect(snapshot.logs.values.map(\.head.seq) == [3, 3])
            #expect(snapshot.members == [ops.conversation: [ada.id, bob.id]])
            #expect(
                snapshot.conversations.values.map(\.isJoined).sorted { !$0 && $1 }
                    == [false, true])
            #expect(snapshot.people == [eve.id: .verified] && snapshot.peers.count == 1)
            #expect(snapshot.requests.map(\.text) == ["hello"] && snapshot.records.count == 1)
            #expect(snapshot.acts.isEmpty && snapshot.epochs.isEmpty)
            #expect(try await store.consumer("script") == Cursor(2))
            let query = HistoryQuery(conversation: ops.conversation, limit: 10)
            #expect(
                texts(try await store.history(query).entries)
                    == ["(join)", "(join)", "one of 1", "one of 0", "two", "two"])
            #expect(try await store.check().isEmpty)
            await store.close()
            #expect(try Self.version(directory) == Int64(Schema.version))
        }
        let store = try await directory.open()
        let founded = try GroupTests.Founded()
        _ = try await store.commit(founded.batch)
        #expect(try await store.snapshot().acts == [founded.group.id: founded.acts])
        await store.close()
    }

    @Test("a check of a file of version 1 finds nothing wrong with it, and leaves it so")
    func checked() throws {
        let directory = try Self.frozen(1)
        let before = try readFile(directory.database)
        #expect(try RepairTests.check(directory).findings.isEmpty)
        #expect(try RepairTests.repair(directory).copy == nil)
        #expect(try readFile(directory.database) == before)
        #expect(try Self.version(directory) == 1)
    }

    @Test("a file of version 1 is not read where it cannot be brought to this version")
    func onlyRead() async throws {
        let directory = try Self.frozen(1)
        let failure = #expect(throws: StoreFailure.self) {
            try StoreFile(readingIn: directory.data, owner: ada.id, safe: safe)
        }
        #expect(failure?.reason == .readOnly && failure?.remedy.contains("once") == true)
    }

    @Test(
        "a damaged file of version 1, or that was one, is repaired whatever page it is",
        arguments: [false, true])
    func repaired(isMigrated: Bool) async throws {
        let directory = try Self.frozen(1)
        if isMigrated {
            let store = try await directory.open()
            _ = try await store.commit(try GroupTests.Founded().batch)
            await store.close()
        }
        let before = try readFile(directory.database)
        for page in 0..<before.count / pageBytes {
            var damaged = before
            damaged[page * pageBytes + 30] ^= 1
            try writeFile(directory.database, damaged)
            let repair = try RepairTests.repair(directory)
            let lost = repair.cuts.reduce(0) { $0 + Int($1.lost) }
            #expect(repair.entries + lost == 6, "page \(page + 1)")
            #expect(lost == 0 || repair.damagedTables == ["entries"], "page \(page + 1)")
            let store = try await directory.open()
            #expect(try await store.check().isEmpty, "page \(page + 1)")
            await store.close()
        }
    }
}
