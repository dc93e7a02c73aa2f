import Engine
import Formats
import Glibc
import Crypto
import Testing

@testable import Storage

@Suite("Continuity")
struct ContinuityTests {
    static func story() -> Continuity {
        Continuity(
            owner: ada.id, starts: 3, token: Bytes32([UInt8](repeating: 9, count: 32)) ?? .zero,
            inode: 7, birthNanoseconds: 5, mark: 100)
    }

    @Test("two equal stories prove continuity, and so does a store ahead of its continuity file")
    func equal() {
        var store = Self.story()
        #expect(Continuity.isProven(store: store, file: Self.story()))
        store.mark = 101
        #expect(Continuity.isProven(store: store, file: Self.story()))
    }

    @Test("a missing side or any difference proves nothing")
    func different() {
        let story = Self.story()
        #expect(!Continuity.isProven(store: nil, file: story))
        #expect(!Continuity.isProven(store: story, file: nil))
        #expect(!Continuity.isProven(store: nil, file: nil))
        let changes: [(inout Continuity) -> Void] = [
            { $0.owner = bob.id }, { $0.starts = 4 }, { $0.starts = 2 }, { $0.token = .zero },
            { $0.inode = 8 }, { $0.birthNanoseconds = 6 }, { $0.birthNanoseconds = nil },
            { $0.mark = 99 },
        ]
        for change in changes {
            var store = story
            change(&store)
            #expect(!Continuity.isProven(store: store, file: story))
        }
    }

    /// Opens the store, gives it an incarnation where it has none, and sends `count` messages of
    /// the owner.
    static func session(
        _ directory: TemporaryDirectory, sending count: Int = 1, fresh: UInt64 = 1
    ) async throws -> (found: UInt64?, store: MessageStore) {
        let store = try await directory.open()
        let snapshot = try await store.snapshot()
        let found = snapshot.incarnation
        var first = Batch(number: 1)
        if found == nil { first.incarnation = fresh }
        _ = try await store.commit(first)
        var log = LogWriter(ada, incarnation: found ?? fresh)
        let key = log.key
        let head = snapshot.logs[key]?.head.seq ?? 0
        if head > 0 { _ = log.run((1...head).map { text("m", at: $0) }) }
        if count > 0 {
            _ = try await store.commit(
                batch(log.append((1...count).map { text("m", at: head + UInt64($0)) })))
        }
        return (found, store)
    }

    @Test("an incarnation goes on over restarts, whether the store was closed or not")
    func restart() async throws {
        let directory = try TemporaryDirectory()
        for expected: UInt64? in [nil, 1, 1] {
            let (found, store) = try await Self.session(directory)
            #expect(found == expected)
            await store.close()
        }
        let (found, _) = try await Self.session(directory, sending: 0)
        #expect(found == 1)
    }

    @Test("a store put back into its file as it was after the last start begins a new incarnation")
    func restoredInPlace() async throws {
        let directory = try TemporaryDirectory()
        await (try Self.session(directory)).store.close()
        let backup = try readFile(directory.database)
        // In the same start as the backup: no counter has moved since.
        let (_, store) = try await Self.session(directory)
        await store.close()
        let (_, again) = try await Self.session(directory, sending: 2)
        await again.close()
        try writeFile(directory.database, backup)
        let (found, restored) = try await Self.session(directory, fresh: 2)
        #expect(found == nil)
        await restored.close()
        #expect(try await Self.session(directory).found == 2)
    }

    @Test("a store put back within one start is told by the mark of the last own entry")
    func restoredWithinAStart() async throws {
        let directory = try TemporaryDirectory()
        let (_, store) = try await Self.session(directory)
        // What a backup of the running store holds is the database and its log.
        let database = try readFile(directory.database)
        let log = try readFile(directory.database + "-wal")
        var own = LogWriter(ada)
        _ = own.run([text("m", at: 1)])
        _ = try await store.commit(batch(own.append([text("lost", at: 9)])))
        await store.close()
        try writeFile(directory.database, database)
        try writeFile(directory.database + "-wal", log)
        let (found, restored) = try await Self.session(directory, fresh: 2)
        #expect(found == nil)
        #expect(try await restored.snapshot().logs[own.key]?.head.seq == 1)
    }

    // Shows: shown.restore
    @Test("a copy of the store's file begins a new incarnation")
    func copied() async throws {
        let directory = try TemporaryDirectory()
        await (try Self.session(directory)).store.close()
        let copy = "\(directory.data)/copy"
        try writeFile(copy, try readFile(directory.database))
        try #require(rename(copy, directory.database) == 0)
        #expect(try await Self.session(directory, fresh: 2).found == nil)
    }

    @Test("a continuity file that is missing, old, damaged or cut short begins a new incarnation")
    func doubtfulFile() async throws {
        let changes: [(TemporaryDirectory, [UInt8]) throws -> Void] = [
            { directory, _ in try #require(unlink(directory.continuity) == 0) },
            { directory, old in try writeFile(directory.continuity, old) },
            { directory, _ in
                var bytes = try readFile(directory.continuity)
                bytes[60] ^= 1
                try writeFile(directory.continuity, bytes)
            },
            { directory, _ in
                try writeFile(
                    directory.continuity, Array(try readFile(directory.continuity).dropLast()))
            },
            { directory, _ in try writeFile(directory.continuity, []) },
        ]
        for change in changes {
            let directory = try TemporaryDirectory()
            await (try Self.session(directory)).store.close()
            let old = try readFile(directory.continuity)
            await (try Self.session(directory)).store.close()
            try change(directory, old)
            let (found, store) = try await Self.session(directory, fresh: 2)
            #expect(found == nil)
            await store.close()
            #expect(try await Self.session(directory).found == 2)
        }
    }

    @Test("a start that gave up an incarnation does not come back to it when it crashes at once")
    func crashAfterDoubt() async throws {
        let directory = try TemporaryDirectory()
        await (try Self.session(directory)).store.close()
        try #require(unlink(directory.continuity) == 0)
        // Opens, which makes both sides equal again, and writes no new incarnation.
        await (try await directory.open()).close()
        #expect(try await directory.open().snapshot().incarnation == nil)
    }

    @Test("a start that writes nothing leaves both sides as they were")
    func quietStart() async throws {
        let directory = try TemporaryDirectory()
        await (try Self.session(directory)).store.close()
        let database = try readFile(directory.database)
        let continuity = try readFile(directory.continuity)
        for _ in 0..<3 {
            let store = try await directory.open()
            #expect(try await store.snapshot().incarnation == 1)
            await store.close()
        }
        #expect(try readFile(directory.database) == database)
        #expect(try readFile(directory.continuity) == continuity)
    }

    @Test("a copy made in a start before its first commit is told from what came after it")
    func restoredFromBeforeTheFirstCommit() async throws {
        let directory = try TemporaryDirectory()
        await (try Self.session(directory)).store.close()
        await (try await directory.open()).close()
        let backup = try readFile(directory.database)
        // The continuity file has what a crash leaves of it: all but the mark, which is not synced.
        let (_, store) = try await Self.session(directory)
        var continuity = try #require(try Self.continuity(directory))
        continuity.mark = 0
        await store.close()
        try writeFile(directory.continuity, ContinuityFile.encode(continuity))
        #expect(try await Self.session(directory, sending: 0).found == 1)
        try writeFile(directory.database, backup)
        #expect(try await directory.open().snapshot().incarnation == nil)
    }

    @Test("a start brings the mark of the one before it into the continuity file")
    func markAtStart() async throws {
        let directory = try TemporaryDirectory()
        await (try Self.session(directory, sending: 3)).store.close()
        var stale = try #require(try Self.continuity(directory))
        let mark = stale.mark
        stale.mark = 0
        try writeFile(directory.continuity, ContinuityFile.encode(stale))
        await (try await directory.open()).close()
        #expect(try Self.continuity(directory)?.mark == mark)
    }

    @Test(
        "where the continuity file cannot be written nothing is committed, and the next try may be")
    func unwritableFile() async throws {
        let directory = try TemporaryDirectory()
        await (try Self.session(directory)).store.close()
        let store = try await directory.open()
        var own = LogWriter(ada)
        _ = own.run([text("m", at: 1)])
        let append = batch(own.append([text("n", at: 2)]))
        // A directory in the place of the file that replaces the continuity file.
        try #require(mkdir(directory.continuity + ".new", 0o700) == 0)
        await #expect(throws: StoreFailure.self) { try await store.commit(append) }
        #expect(try await store.commitQuickly(append) == nil)
        try #require(rmdir(directory.continuity + ".new") == 0)
        #expect(try await store.commit(append).cursors == [[Cursor(2)]])
        await store.close()
        #expect(try await directory.open().snapshot().incarnation == 1)
    }

    private static func continuity(_ directory: TemporaryDirectory) throws -> Continuity? {
        ContinuityFile.decode(try readFile(directory.continuity))
    }

    @Test("another identity over the same store begins a new incarnation")
    func owner() async throws {
        let directory = try TemporaryDirectory()
        await (try Self.session(directory)).store.close()
        #expect(try await directory.open(owner: bob.id).snapshot().incarnation == nil)
    }

    @Test("where files cannot be told from copies nothing is proven")
    func noIdentity() async throws {
        let directory = try TemporaryDirectory()
        for _ in 0..<2 {
            let store = try await MessageStore.open(
                directory: directory.data, continuity: directory.continuity, owner: ada.id,
                safe: safe,
                executor: QueueExecutor(), identify: { _ in nil })
            #expect(try await store.snapshot().incarnation == nil)
            var batch = Batch(number: 1)
            batch.incarnation = 4
            _ = try await store.commit(batch)
            await store.close()
        }
    }
}
