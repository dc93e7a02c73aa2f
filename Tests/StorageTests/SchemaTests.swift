import Engine
import Crypto
import Testing

@testable import Storage

@Suite("Schema")
struct SchemaTests {
    /// Every object of a database, by name.
    static func objects(_ path: String) throws -> [String: String] {
        var objects: [String: String] = [:]
        let database = try Database(path: path)
        try database.prepare("SELECT name, coalesce(sql, '') FROM sqlite_master").forEach {
            (row) throws(SQLiteError) in
            objects[row.text(0)] = row.text(1)
        }
        return objects
    }

    @Test("a file of the first version opens and becomes the same as a new one")
    func firstVersion() async throws {
        let old = try TemporaryDirectory()
        try writeFile(old.database, [])
        do {
            let database = try Database(path: old.database)
            try database.execute(firstSchema)
            try database.execute("PRAGMA application_id = 1937010529; PRAGMA user_version = 1")
            try database.execute(firstRows)
        }
        let store = try await old.open()
        let page = try await store.history(HistoryQuery(conversation: ops.conversation, limit: 9))
        #expect(page.entries.map(\.payload) == [[1, 2, 3]])
        #expect(try await store.snapshot().logs.count == 1)
        #expect(try await store.entry(EntryID(.zero))?.payload == [1, 2, 3])
        await store.close()
        let new = try TemporaryDirectory()
        await (try await new.open()).close()
        #expect(try Self.objects(old.database) == Self.objects(new.database))
        let database = try Database(path: new.database)
        #expect(try database.int("PRAGMA user_version") == Int64(Schema.version))
        #expect(try database.int("PRAGMA application_id") == Schema.applicationID)
    }

    @Test("a file of the second version is looked at as it is, and all its ids are indexed anew")
    func secondVersion() async throws {
        let old = try TemporaryDirectory()
        try writeFile(old.database, [])
        let rows = 300
        do {
            let database = try Database(path: old.database)
            try Schema.migrate(
                database, from: 0, through: Array(Schema.migrations.prefix(2)))
            try database.execute(firstRows)
            try database.execute(
                """
                WITH RECURSIVE n (n) AS (SELECT 2 UNION ALL SELECT n + 1 FROM n WHERE n < \(rows))
                INSERT INTO entries SELECT iif(n % 9 = 0, -n, n), 1, n, 1, 5 + n, 1, 0,
                    n * 7919 % 1009 - 500, zeroblob(24), NULL, NULL, NULL FROM n
                """)
        }
        do {
            let file = try StoreFile(offlineAt: old.database, owner: ada.id)
            #expect(try file.entry(EntryID(.zero))?.payload == [1, 2, 3])
            // Its rows are made up, so a check finds much; but it reads what it looks for.
            #expect(!file.check().contains { $0.text.contains("no such") })
            #expect(try file.database.int("PRAGMA user_version") == 2)
        }
        let store = try StoreFile(
            directory: old.data, witness: old.witness, owner: ada.id, identify: fileIdentity)
        let ids = """
            SELECT count(*) FROM entries e JOIN ids i ON i.prefix = e.prefix AND i.arrival = e.arrival
            """
        #expect(try store.database.int(ids) == Int64(rows))
        #expect(try store.database.int("SELECT count(*) FROM ids") == Int64(rows))
        let newest = try store.newestCursor().rawValue
        let progress = RecentIDs.Progress(indexed: newest, end: newest, through: 0)
        #expect(try store.indexingProgress() == progress)
    }

    @Test("migrations run once each, in order, and one that fails leaves the version before it")
    func steps() throws {
        let directory = try TemporaryDirectory()
        try writeFile(directory.database, [])
        let database = try Database(path: directory.database)
        let steps = [
            "CREATE TABLE a (x)", "ALTER TABLE a ADD COLUMN y", "ALTER TABLE b ADD COLUMN z",
        ]
        #expect(throws: SQLiteError.self) {
            try Schema.migrate(database, from: 0, through: steps)
        }
        #expect(try database.int("PRAGMA user_version") == 2)
        try database.execute("INSERT INTO a (x, y) VALUES (1, 2)")
        try Schema.migrate(database, from: 2, through: [steps[0], steps[1], "CREATE TABLE b (z)"])
        #expect(try database.int("PRAGMA user_version") == 3)
        #expect(try database.int("SELECT y FROM a") == 2)
    }

    @Test("a file of a later version is refused and not touched")
    func newer() async throws {
        let directory = try TemporaryDirectory()
        await (try await directory.open()).close()
        do {
            let database = try Database(path: directory.database)
            try database.execute("PRAGMA user_version = 99")
        }
        let before = try readFile(directory.database)
        let failure = await #expect(throws: StoreFailure.self) { try await directory.open() }
        #expect(failure?.reason == .newer(version: 99))
        #expect(failure?.remedy.isEmpty == false)
        #expect(try readFile(directory.database) == before)
    }

    @Test("a database of another program is refused and not touched")
    func foreign() async throws {
        let directory = try TemporaryDirectory()
        try writeFile(directory.database, [])
        do {
            let database = try Database(path: directory.database)
            try database.execute("CREATE TABLE songs (title TEXT)")
        }
        let before = try readFile(directory.database)
        let failure = await #expect(throws: StoreFailure.self) { try await directory.open() }
        #expect(failure?.reason == .corrupt)
        #expect(failure?.remedy.contains("another data directory") == true)
        #expect(failure?.remedy.contains("--repair") == false)
        #expect(try readFile(directory.database) == before)
    }
}

/// One message of ada to the room "ops", as the first version wrote it.
private let firstRows = """
    INSERT INTO state VALUES (1, zeroblob(32), NULL, -9223372036854775807, zeroblob(32));
    INSERT INTO conversations (id, hash, shown)
        VALUES (1, x'\(ops.conversation.hash)', 5);
    INSERT INTO authors VALUES (1, x'\(ada.id.key)');
    INSERT INTO logs VALUES (1, 1, 1, 0, 1, zeroblob(32), 5, 1, 5, NULL);
    INSERT INTO entries VALUES
        (1, 1, 1, 1, 5, 1, 0, 0, zeroblob(24), zeroblob(64), NULL, x'010203');
    """
