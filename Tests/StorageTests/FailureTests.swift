import Engine
import Formats
import Glibc
import Crypto
import Synchronization
import TestSupport
import Testing

@testable import Storage

@Suite("Failures")
struct FailureTests {
    static func open(_ directory: TemporaryDirectory) throws -> StoreFile {
        try StoreFile(
            directory: directory.data, continuity: directory.continuity, owner: ada.id,
            safe: safe,
            identify: fileIdentity)
    }

    static func reason(_ directory: TemporaryDirectory) async -> StoreFailure.Reason? {
        let failure = await #expect(throws: StoreFailure.self) { try await directory.open() }
        #expect(failure?.remedy.isEmpty == false && failure?.detail.isEmpty == false)
        return failure?.reason
    }

    // Shows: told.machine
    @Test("the file is for its user alone, and so is what SQLite puts beside it")
    func mode() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        for path in [directory.database, directory.database + "-wal", directory.continuity] {
            var found = stat()
            try #require(stat(path, &found) == 0)
            #expect(found.st_mode & 0o777 == 0o600, "\(path)")
        }
        await store.close()
    }

    @Test("a store that is open is refused to a second one, and free after it was closed")
    func locked() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        #expect(await Self.reason(directory) == .locked)
        _ = try await store.snapshot()
        await store.close()
        await (try await directory.open()).close()
    }

    @Test("a store that another process has open is refused")
    func lockedByAnother() async throws {
        let directory = try TemporaryDirectory()
        let link = "/tmp/stoa-locked-\(getpid())"
        unlink(link)
        try #require(symlink(directory.path, link) == 0)
        defer { unlink(link) }
        let store = try await directory.open()
        await #expect(processExitsWith: .success) {
            let path = "/tmp/stoa-locked-\(getppid())"
            let failure = await #expect(throws: StoreFailure.self) {
                try await MessageStore.open(
                    directory: "\(path)/data", continuity: "\(path)/state/other", owner: ada.id,
                    safe: safe,
                    executor: QueueExecutor(), identify: fileIdentity)
            }
            #expect(failure?.reason == .locked)
        }
        await store.close()
    }

    @Test("the store runs on the executor that it was given")
    func executor() async throws {
        let directory = try TemporaryDirectory()
        let executor = QueueExecutor()
        let store = try await directory.open(executor: executor)
        let before = executor.jobs.load(ordering: .relaxed)
        _ = try await store.counts()
        #expect(executor.jobs.load(ordering: .relaxed) > before)
    }

    @Test("a store that may not be written is refused as such, and stays as it is")
    func readOnly() async throws {
        let directory = try TemporaryDirectory()
        try await Self.fill(directory, runs: 1)
        let before = try readFile(directory.database)
        let link = "/tmp/stoa-readonly-\(getpid())"
        unlink(link)
        try #require(symlink(directory.path, link) == 0)
        defer { unlink(link) }
        try #require(chmod(directory.path, 0o755) == 0 && chmod(directory.state, 0o777) == 0)
        try #require(chmod(directory.data, 0o555) == 0 && chmod(directory.database, 0o444) == 0)
        await #expect(processExitsWith: .success) {
            let path = "/tmp/stoa-readonly-\(getppid())"
            // Nothing is forbidden to root.
            if geteuid() == 0 { try #require(setuid(65_534) == 0) }
            let failure = await #expect(throws: StoreFailure.self) {
                try await MessageStore.open(
                    directory: "\(path)/data", continuity: "\(path)/state/other", owner: ada.id,
                    safe: safe,
                    executor: QueueExecutor(), identify: fileIdentity)
            }
            #expect(failure?.reason == .readOnly)
        }
        try #require(chmod(directory.data, 0o755) == 0)
        #expect(try readFile(directory.database) == before)
    }

    @Test("a directory that is not there is an input or output failure")
    func missing() async throws {
        let directory = try TemporaryDirectory()
        try #require(rmdir(directory.data) == 0)
        #expect(await Self.reason(directory) == .inputOutput)
    }

    @Test("a continuity file that cannot be written is a failure, not a silent doubt")
    func missingState() async throws {
        let directory = try TemporaryDirectory()
        try #require(rmdir(directory.state) == 0)
        #expect(await Self.reason(directory) == .inputOutput)
    }

    @Test("a state directory that cannot be written refuses commits, and they go on when it can")
    func fullState() async throws {
        let directory = try TemporaryDirectory()
        var log = LogWriter(ada)
        var store = try await directory.open()
        _ = try await store.commit(batch(log.append([text("one", at: 1)])))
        await store.close()
        store = try await directory.open()
        // In the way of the file that is written before the first commit of a start.
        try #require(mkdir(directory.continuity + ".new", 0o700) == 0)
        let two = log.append([text("two", at: 2)])
        for _ in 0..<3 {
            await #expect(throws: StoreFailure.self) { try await store.commit(batch(two)) }
            #expect(try await Self.texts(store) == ["one"])
        }
        try #require(rmdir(directory.continuity + ".new") == 0)
        _ = try await store.commit(batch(two))
        #expect(try await Self.texts(store) == ["one", "two"])
        await store.close()
        store = try await directory.open()
        #expect(try await Self.texts(store) == ["one", "two"])
        await store.close()
    }

    private static func texts(_ store: MessageStore) async throws -> [String] {
        let query = HistoryQuery(conversation: ops.conversation, limit: 9)
        return StorageTests.texts(try await store.history(query).entries)
    }

    @Test("a data directory that is deleted under the open store refuses commits")
    func deleted() async throws {
        let directory = try TemporaryDirectory()
        let store = try await directory.open()
        var log = LogWriter(ada)
        let one = log.append([text("one", at: 1)])
        let moved = directory.path + "/away"
        try #require(rename(directory.data, moved) == 0)
        let failure = await #expect(throws: StoreFailure.self) {
            try await store.commit(batch(one))
        }
        #expect(failure?.reason == .deleted && failure?.remedy.contains("put the data") == true)
        // Nothing is refused once it is back.
        try #require(rename(moved, directory.data) == 0)
        _ = try await store.commit(batch(one))
        #expect(try await Self.texts(store) == ["one"])
        await store.close()
    }

    @Test(
        "a database that was emptied is refused; one that is gone is made anew, and that start says so"
    )
    func emptied() async throws {
        let directory = try TemporaryDirectory()
        try await Self.fill(directory, runs: 1)
        for bytes in [[], try Self.emptyDatabase()] {
            try writeFile(directory.database, bytes)
            let failure = await #expect(throws: StoreFailure.self) { try await directory.open() }
            #expect(failure?.reason == .emptied)
            #expect(failure?.remedy.contains("put a backup back") == true)
            #expect(try readFile(directory.database) == bytes)
        }
        try #require(unlink(directory.database) == 0)
        for isAfterLoss in [true, false] {
            let store = try await directory.open()
            let snapshot = try await store.snapshot()
            #expect(snapshot.logs.isEmpty && snapshot.isAfterLoss == isAfterLoss)
            await store.close()
        }
        let first = try await TemporaryDirectory().open()
        #expect(try await !first.snapshot().isAfterLoss)
        await first.close()
    }

    /// A database without tables.
    private static func emptyDatabase() throws -> [UInt8] {
        let directory = try TemporaryDirectory()
        try writeFile(directory.database, [])
        do {
            let database = try Database(path: directory.database)
            try database.execute("CREATE TABLE a (b); DROP TABLE a")
        }
        return try readFile(directory.database)
    }

    @Test("a file that is no database is corrupt and stays as it is")
    func garbage() async throws {
        let directory = try TemporaryDirectory()
        var random = SeededRandom(seed: 1)
        let bytes = (0..<10_000).map { _ in UInt8.random(in: 0...255, using: &random) }
        try writeFile(directory.database, bytes)
        #expect(await Self.reason(directory) == .corrupt)
        #expect(try readFile(directory.database) == bytes)
    }

    @Test("a database cut short is found damaged, never a crash", arguments: [1, 3, 6, 20])
    func cutShort(keptPages: Int) async throws {
        let directory = try TemporaryDirectory()
        try await Self.fill(directory, runs: 20)
        let bytes = try readFile(directory.database)
        try writeFile(directory.database, Array(bytes.prefix(keptPages * pageBytes)))
        #expect(await Self.isDamaged(directory))
    }

    static func fill(_ directory: TemporaryDirectory, runs: Int) async throws {
        let store = try await directory.open()
        var log = LogWriter(bob)
        for run in 0..<runs {
            let entries = (0..<50).map { text("message", at: UInt64(run * 50 + $0 + 1)) }
            _ = try await store.commit(batch(log.append(entries)))
        }
        await store.close()
    }

    /// Whether opening, reading or checking a store reports damage.
    static func isDamaged(_ directory: TemporaryDirectory) async -> Bool {
        do throws(StoreFailure) {
            let store: MessageStore
            do {
                store = try await directory.open()
            } catch let failure as StoreFailure {
                throw failure
            } catch {
                Issue.record(error)
                return false
            }
            _ = try await store.snapshot()
            _ = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 1_000))
            let findings = try await store.check()
            await store.close()
            return !findings.isEmpty
        } catch {
            return error.reason == .corrupt
        }
    }

    @Test("a flipped bit never crashes; in an entry it is found with its log and number")
    func flipped() async throws {
        let directory = try TemporaryDirectory()
        try await Self.fill(directory, runs: 20)
        let bytes = try readFile(directory.database)
        var random = SeededRandom(seed: 3)
        var found = 0
        for _ in 0..<60 {
            var damaged = bytes
            let place = Int.random(in: 0..<bytes.count, using: &random)
            damaged[place] ^= 1 << UInt8.random(in: 0...7, using: &random)
            try writeFile(directory.database, damaged)
            if await Self.isDamaged(directory) { found += 1 }
        }
        // Unused space inside pages is not read; most of the file is not unused.
        #expect(found > 30)
    }

    @Test("a changed payload, id, time or attestation is named")
    func changed() async throws {
        let changes = [
            "payload = x'00'", "hlc = hlc + 1", "kind = 7", "prefix = prefix + 1",
            "attestation = zeroblob(64)", "flags = 2", "extra = x'0000'", "extra = x'ff'",
        ]
        for change in changes {
            let directory = try TemporaryDirectory()
            try await Self.fill(directory, runs: 1)
            do {
                let database = try Database(path: directory.database)
                try database.execute("UPDATE entries SET \(change) WHERE seq = 50")
            }
            let store = try await directory.open()
            let findings = try await store.check()
            let key = LogWriter(bob).key
            let isNamed =
                change == "extra = x'0000'"
                ? findings.isEmpty
                : findings.contains { $0.log == key && ($0.seq == 50 || $0.seq == nil) }
            #expect(isNamed, "\(change): \(findings)")
            await store.close()
        }
    }

    @Test("a full disk refuses a batch whole, and the store goes on when there is space")
    func full() throws {
        let directory = try TemporaryDirectory()
        let store = try Self.open(directory)
        var log = LogWriter(bob)
        let first = log.append([text("first", at: 1)])
        _ = try store.commit(batch(first))
        let before = try store.snapshot()
        let pages = try store.database.int("PRAGMA page_count")
        try store.database.execute("PRAGMA max_page_count = \(pages + 4)")
        var next = batch(
            log.append((2...128).map { text(String(repeating: "x", count: 500), at: $0) }))
        next.membership = [ops.conversation: ConversationMembership(.room(ops), isJoined: true)]
        let error = #expect(throws: SQLiteError.self) { try store.commit(next) }
        let failure = error.map { StoreFailure($0, path: store.path, systemError: 0) }
        #expect(failure?.reason == .full)
        #expect(try store.snapshot().logs == before.logs && store.snapshot().conversations.isEmpty)
        #expect(try store.counts().entries == 1)
        #expect(store.check().isEmpty)
        try store.database.execute("PRAGMA max_page_count = 1000000")
        #expect(try store.commit(next).cursors[0].count == 127)
        #expect(try store.snapshot().logs[log.key]?.head == log.head)
        #expect(store.check().isEmpty)
    }

    @Test("a batch of which the last part is refused leaves nothing behind, and can come again")
    func refused() throws {
        let directory = try TemporaryDirectory()
        let store = try Self.open(directory)
        var log = LogWriter(bob)
        var next = batch(log.append([text("first", at: 1)]))
        next.peers = [KnownPeer(id: eve.id, addresses: [], lastSeen: 1)]
        // Unlike a full disk, this ends only the statement and leaves the transaction open.
        try store.database.execute(
            """
            CREATE TEMP TRIGGER refuse BEFORE INSERT ON peers
            BEGIN SELECT raise(ABORT, 'refused'); END
            """)
        #expect(throws: SQLiteError.self) { try store.commit(next) }
        try #require(try store.counts().entries == 0)
        #expect(try store.snapshot().logs.isEmpty)
        try store.database.execute("DROP TRIGGER refuse")
        #expect(try store.commit(next).cursors == [[Cursor(1)]])
        #expect(try store.snapshot().logs[log.key]?.head == log.head)
    }

    @Test("a failed write refuses a batch whole, and the store goes on when writing works again")
    func failedWrite() async {
        await #expect(processExitsWith: .success) {
            let directory = try TemporaryDirectory()
            let store = try Self.open(directory)
            var log = LogWriter(ada)
            _ = try store.commit(batch(log.append([text("first", at: 1)])))
            let next = batch(log.append((2...128).map { text("message", at: $0) }))
            // Writes behind this size fail with EFBIG, as on a disk with an error.
            signal(SIGXFSZ, SIG_IGN)
            var limit = rlimit(rlim_cur: 65_536, rlim_max: rlim_t.max)
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            for _ in 0..<3 {
                let error = #expect(throws: SQLiteError.self) { try store.commit(next) }
                let failure = error.map {
                    StoreFailure($0, path: store.path, systemError: store.database.systemError)
                }
                #expect(failure?.reason == .inputOutput)
            }
            #expect(try store.counts().entries == 1)
            limit.rlim_cur = rlim_t.max
            try #require(setrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0)
            _ = try store.commit(next)
            #expect(try store.snapshot().logs[log.key]?.head == log.head)
            #expect(store.check().isEmpty)
        }
    }

    /// The descriptor by which this process has a file open.
    private static func descriptor(of path: String) throws -> Int32 {
        let found = (0..<1_024).first { (number: Int32) in
            var buffer = [CChar](repeating: 0, count: 4_096)
            let count = readlink("/proc/self/fd/\(number)", &buffer, buffer.count)
            return count > 0
                && String(decoding: buffer[..<count].map { UInt8(bitPattern: $0) }, as: UTF8.self)
                    == path
        }
        return try #require(found)
    }

    @Test("a read that fails is not called damage, and the store goes on when reading works again")
    func failedRead() async throws {
        let directory = try TemporaryDirectory()
        try await Self.fill(directory, runs: 20)
        let store = try Self.open(directory)
        let query = HistoryQuery(conversation: ops.conversation, limit: 1_000)
        // The size of the file is looked at while the log is empty and when a statement is
        // compiled.
        try store.database.execute("CREATE TABLE spare (number INTEGER)")
        _ = try store.history(HistoryQuery(conversation: ops.conversation, limit: 1))
        let number = try Self.descriptor(of: directory.database)
        let kept = dup(number)
        // Reading at the address 0 of a process is an input or output error: proc(5).
        let failing = Glibc.open("/proc/self/mem", O_RDWR | O_CLOEXEC)
        try #require(kept >= 0 && failing >= 0 && dup2(failing, number) == number)
        let failure = #expect(throws: StoreFailure.self) {
            try StoreFile.translating(store.path, store.database) { () throws(SQLiteError) in
                try store.history(query)
            }
        }
        #expect(failure?.reason == .inputOutput)
        #expect(failure?.detail.contains("Input/output error") == true)
        try #require(dup2(kept, number) == number)
        close(kept)
        close(failing)
        #expect(try store.history(query).entries.count == 1_000)
    }

    @Test("what SQLite and the system report is told apart")
    func reasons() {
        func reason(_ code: Int32, _ systemError: Int32 = 0) -> StoreFailure.Reason {
            let error = SQLiteError(extendedCode: code, message: "", sql: "")
            return StoreFailure(error, path: "/p", systemError: systemError).reason
        }
        // sqlite3.h: FULL 13, READONLY 8, CANTOPEN 14, IOERR_WRITE 778, CORRUPT 11, NOTADB 26, BUSY
        // 5.
        #expect(reason(13) == .full && reason(8) == .readOnly)
        #expect(reason(14, EROFS) == .readOnly && reason(14, EACCES) == .readOnly)
        #expect(reason(14, ENOENT) == .inputOutput && reason(778, EIO) == .inputOutput)
        #expect(reason(778, ENOSPC) == .full && reason(778, EDQUOT) == .full)
        #expect(reason(11) == .corrupt && reason(26) == .corrupt && reason(5) == .locked)
        #expect(reason(7) == .other(code: 7))
    }
}
