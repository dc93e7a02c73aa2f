internal import Engine
internal import Formats

/// The tables of a search index, in a file or in memory; on one thread.
final class SearchTable {
    let database: Database
    /// Of the tables and of how texts become words; another one is made again.
    private static let version: Int64 = 3
    private lazy var find = self.database.statement(
        "SELECT id FROM docs WHERE place = :place")
    private lazy var addDoc = self.database.statement(
        "INSERT INTO docs (place, hash, hlc) VALUES (:place, :hash, :hlc) RETURNING id")
    private lazy var addWords = self.database.statement(
        "INSERT INTO words (rowid, text, scope) VALUES (:id, :text, :scope)")
    private lazy var updateWords = self.database.statement(
        "UPDATE words SET text = :text WHERE rowid = :id")
    private lazy var removeWords = self.database.statement("DELETE FROM words WHERE rowid = :id")
    private lazy var removeDoc = self.database.statement("DELETE FROM docs WHERE id = :id")
    private lazy var setCursor = self.database.statement("UPDATE state SET arrival = :arrival")
    private lazy var newestFirst = self.database.statement(Self.searchSQL("w.rowid DESC"))
    private lazy var bestFirst = self.database.statement(Self.searchSQL("rank, w.rowid DESC"))

    private static func searchSQL(_ order: String) -> String {
        let marks = (
            SearchableText.matchStart.unicodeScalars.first?.value ?? 1,
            SearchableText.matchEnd.unicodeScalars.first?.value ?? 2
        )
        return """
            SELECT d.hash, d.hlc, CAST(rank * 1000000 AS INTEGER) AS number,
                snippet(words, 0, char(\(marks.0)), char(\(marks.1)), '…', 24) AS text
            FROM words w CROSS JOIN docs d ON d.id = w.rowid
            WHERE words MATCH :text AND d.hlc >= :since AND d.hlc < :until
            ORDER BY \(order) LIMIT :limit OFFSET :first
            """
    }

    /// Opens a file that exists, or memory.
    init(path: String) throws(SQLiteError) {
        self.database = try Database(path: path, isPlain: true)
        try self.database.execute(
            """
            PRAGMA locking_mode = EXCLUSIVE;
            PRAGMA journal_mode = WAL;
            PRAGMA synchronous = NORMAL;
            PRAGMA secure_delete = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -2048;
            """)
    }

    /// Whether the file is of this version, was closed well, and belongs to the store as it is.
    func isUsable(for store: UInt64, through newest: Cursor) throws(SQLiteError) -> Bool {
        guard try self.database.int("PRAGMA user_version") == Self.version,
            try self.database.int("SELECT open FROM state") == 0,
            try self.database.int("SELECT inode FROM state") == Int64(bitPattern: store)
        else { return false }
        return try self.cursor() <= newest
    }

    /// Makes the tables, for the store in a file with this inode.
    func create(for store: UInt64 = 0) throws(SQLiteError) {
        try self.database.transaction { () throws(SQLiteError) in
            try self.database.execute(
                """
                CREATE TABLE state (
                    arrival INTEGER NOT NULL, open INTEGER NOT NULL, inode INTEGER NOT NULL
                ) STRICT;
                INSERT INTO state VALUES (0, 0, \(Int64(bitPattern: store)));
                CREATE TABLE docs (
                    id INTEGER PRIMARY KEY,
                    place INTEGER NOT NULL UNIQUE,
                    hash BLOB NOT NULL,
                    hlc INTEGER NOT NULL
                ) STRICT;
                CREATE VIRTUAL TABLE words USING fts5(
                    text, scope, tokenize="\(SearchableText.tokenizer)");
                PRAGMA user_version = \(Self.version);
                """)
        }
    }

    /// Notes on the disk whether the file is in use, before anything else is written to it.
    func noteOpen(_ isOpen: Bool) throws(SQLiteError) {
        try self.database.execute("PRAGMA synchronous = FULL")
        try self.database.execute("UPDATE state SET open = \(isOpen ? 1 : 0)")
        try self.database.execute("PRAGMA synchronous = NORMAL")
    }

    func cursor() throws(SQLiteError) -> Cursor {
        Cursor(try self.database.int("SELECT arrival FROM state"))
    }

    func put(_ documents: [SearchDocument], _ cursor: Cursor) throws(SQLiteError) {
        try self.database.transaction { () throws(SQLiteError) in
            for document in documents { try self.put(document) }
            try self.setCursor.bind(.arrival, cursor.rawValue).run()
        }
    }

    private func put(_ document: SearchDocument) throws(SQLiteError) {
        let text = SearchableText.indexed(document.text)
        if let id = try self.find.bind(.place, document.place).int() {
            try self.updateWords.bind(.id, id).bind(.text, text: text).run()
            return
        }
        let id = try self.addDoc.bind(.place, document.place).bind(.hash, document.id.hash)
            .bind(.hlc, document.time.stored).added()
        let scope =
            "\(SearchQuery.word(document.conversation)) \(SearchQuery.word(document.author))"
        try self.addWords.bind(.id, id).bind(.text, text: text).bind(.scope, text: scope).run()
    }

    /// Forgets messages; whether any of them was there.
    func remove(_ places: [Int64]) throws(SQLiteError) -> Bool {
        var isAny = false
        try self.database.transaction { () throws(SQLiteError) in
            for place in places {
                guard let id = try self.find.bind(.place, place).int() else { continue }
                isAny = true
                try self.removeWords.bind(.id, id).run()
                try self.removeDoc.bind(.id, id).run()
            }
        }
        return isAny
    }

    /// Takes the words of what was removed out of the file: until they are merged they stand in it.
    func purge() throws(SQLiteError) {
        try self.database.execute("INSERT INTO words (words) VALUES ('optimize')")
        _ = self.database.emptyLog()
    }

    func search(_ query: SearchQuery) throws(SQLiteError) -> [SearchHit] {
        let statement = query.order == .newest ? self.newestFirst : self.bestFirst
        var hits: [SearchHit] = []
        try statement.bind(.text, text: query.match).bind(.since, query.since?.stored ?? .min)
            .bind(.until, query.until?.stored ?? .max)
            .bind(.limit, Int64(query.limit)).bind(.first, Int64(query.offset))
            .forEach { (row) throws(SQLiteError) in
                hits.append(
                    SearchHit(
                        id: EntryID(try row.bytes32(.hash)),
                        time: HybridTime(stored: row.int(.hlc)),
                        rank: Double(row.int(.number)) / 1_000_000, excerpt: row.text(.text)))
            }
        return hits
    }
}
