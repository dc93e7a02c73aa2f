/// The shape of the database: every version of it, as the steps that lead from one to the next.
///
/// `PRAGMA user_version` counts the steps that a file has been through. A step that was released is
/// never edited; a change of the schema is a new step at the end. `Docs/Data.md` explains the
/// tables.
enum Schema {
    /// "stoa" in ASCII; tells the file from other SQLite databases.
    static let applicationID: Int64 = 0x7374_6F61

    /// The steps, oldest first.
    static let migrations: [String] = [Self.first, Self.second, Self.third, Self.fourth]

    /// The version that this build writes.
    static var version: Int { self.migrations.count }

    // Integers that stand for unsigned 64-bit values (hlc, incarnation) have their top bit flipped,
    // so that SQLite's signed order is theirs.
    private static let first = """
        CREATE TABLE state (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            owner BLOB NOT NULL,
            incarnation INTEGER,
            starts INTEGER NOT NULL,
            token BLOB NOT NULL
        ) STRICT;
        CREATE TABLE conversations (
            id INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            name TEXT,
            joined INTEGER,
            shown INTEGER,
            unread INTEGER NOT NULL DEFAULT 0,
            latest INTEGER NOT NULL DEFAULT 0,
            read INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE authors (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE logs (
            id INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversations,
            author INTEGER NOT NULL REFERENCES authors,
            incarnation INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            head BLOB NOT NULL,
            hlc INTEGER NOT NULL,
            shown INTEGER NOT NULL,
            last INTEGER NOT NULL,
            fork INTEGER,
            UNIQUE (conversation, author, incarnation)
        ) STRICT;
        CREATE TABLE forks (
            log INTEGER PRIMARY KEY REFERENCES logs,
            proof BLOB NOT NULL
        ) STRICT;
        CREATE TABLE entries (
            arrival INTEGER PRIMARY KEY,
            log INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            conversation INTEGER NOT NULL,
            hlc INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            flags INTEGER NOT NULL,
            prefix INTEGER NOT NULL,
            suffix BLOB NOT NULL,
            attestation BLOB,
            extra BLOB,
            payload BLOB
        ) STRICT;
        CREATE UNIQUE INDEX entries_by_position ON entries (log, seq);
        CREATE INDEX entries_by_time ON entries (conversation, hlc);
        CREATE INDEX entries_by_id ON entries (prefix);
        CREATE INDEX entries_held ON entries (hlc) WHERE arrival < 0;
        CREATE INDEX entries_of_members ON entries (log, hlc) WHERE kind IN (2, 3);
        CREATE TABLE waiting (
            dep INTEGER NOT NULL,
            log INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY (dep, log, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE members (
            conversation INTEGER NOT NULL REFERENCES conversations,
            author INTEGER NOT NULL REFERENCES authors,
            kind INTEGER NOT NULL,
            hlc INTEGER NOT NULL,
            incarnation INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY (conversation, author)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE records (
            author INTEGER NOT NULL REFERENCES authors,
            conversation INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            record BLOB NOT NULL,
            PRIMARY KEY (author, conversation, kind)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE peers (
            author INTEGER PRIMARY KEY REFERENCES authors,
            addresses BLOB NOT NULL,
            seen INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE consumers (
            name TEXT PRIMARY KEY,
            cursor INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE sends (
            number INTEGER PRIMARY KEY,
            key TEXT NOT NULL UNIQUE,
            log INTEGER NOT NULL REFERENCES logs,
            seq INTEGER NOT NULL,
            milliseconds INTEGER NOT NULL
        ) STRICT;
        """

    /// Pages have checksums, which are there already when this step runs (``Database/addChecksums()``); the
    /// version keeps programs away that would write pages without.
    private static let second = "-- No table changes."

    /// What hides an entry is noted beside what it waits for, so that a fork proof finds it.
    ///
    /// Entries that only something behind a fork hides become held, and so are shown. The row of
    /// `numbers` keeps arrival numbers from being given twice where an entry has given its up.
    private static let third = """
        CREATE TABLE numbers (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            newest INTEGER NOT NULL,
            vacant INTEGER NOT NULL
        ) STRICT;
        CREATE TEMP TABLE contradictions AS
            WITH RECURSIVE
                part (log, seq, conversation, hlc, extra, place) AS (
                    SELECT log, seq, conversation, hlc, extra, 3 FROM entries
                    WHERE flags & 4 <> 0 AND length(extra) > 2
                    UNION ALL
                    SELECT log, seq, conversation, hlc, extra, place + 32 FROM part
                    WHERE place + 63 <= length(extra)
                ),
                dep (log, seq, conversation, hlc, digits, suffix) AS (
                    SELECT log, seq, conversation, hlc, hex(substr(extra, place, 8)),
                        substr(extra, place + 8, 24) FROM part
                )
            SELECT d.prefix, p.log, p.seq FROM dep p CROSS JOIN entries d
                ON d.prefix = (\(Self.prefixSQL)) AND d.suffix = p.suffix
            WHERE d.conversation = p.conversation AND d.hlc >= p.hlc AND d.flags & 2 = 0;
        INSERT OR IGNORE INTO waiting (dep, log, seq) SELECT prefix, log, seq FROM contradictions;
        INSERT INTO numbers (one, newest, vacant)
            SELECT 1, max(coalesce(max(arrival), 0), 0), 0 FROM entries;
        UPDATE numbers SET vacant = (SELECT count(*) FROM entries
            WHERE flags & 6 = 4 AND (log, seq) NOT IN (SELECT log, seq FROM contradictions));
        UPDATE entries SET flags = flags & ~4,
                arrival = (SELECT min(min(arrival), 0) FROM entries) - arrival
            WHERE flags & 6 = 4 AND (log, seq) NOT IN (SELECT log, seq FROM contradictions);
        DROP TABLE contradictions;
        """

    /// Stands in, beside the file, for what statements name and files of earlier versions lack.
    static let missingInOldFiles = "CREATE TEMP TABLE numbers (newest INTEGER, vacant INTEGER)"

    /// The integer that sixteen hexadecimal digits stand for.
    private static var prefixSQL: String {
        (1...16).map { place in
            "((instr('0123456789ABCDEF', substr(p.digits, \(place), 1)) - 1)"
                + " << \(4 * (16 - place)))"
        }.joined(separator: " | ")
    }

    /// Ids are indexed some time after their entries are stored, in sorted stretches.
    ///
    /// So the index is a table of our own, and `indexing` says how far it is; it has held ones, too.
    private static let fourth = """
        CREATE TABLE ids (
            prefix INTEGER NOT NULL,
            arrival INTEGER NOT NULL,
            PRIMARY KEY (prefix, arrival)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE indexing (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            indexed INTEGER NOT NULL,
            until INTEGER NOT NULL,
            prefix INTEGER NOT NULL
        ) STRICT;
        INSERT INTO ids SELECT prefix, arrival FROM entries INDEXED BY entries_by_id
            ORDER BY prefix, arrival;
        INSERT INTO indexing
            SELECT 1, newest, newest, 0
            FROM (SELECT max(0, coalesce(max(arrival), 0)) AS newest FROM entries);
        DROP INDEX entries_by_id;
        """

    /// Brings a file to the latest version, step by step, each in its own transaction.
    ///
    /// A crash leaves the file at one of the versions in between, from where the next start goes
    /// on.
    static func migrate(
        _ database: Database, from version: Int, through migrations: [String] = Self.migrations
    ) throws(SQLiteError) {
        for (index, sql) in migrations.enumerated().dropFirst(version) {
            try database.transaction { () throws(SQLiteError) in
                try database.execute(sql)
                try database.execute("PRAGMA application_id = \(Self.applicationID)")
                try database.execute("PRAGMA user_version = \(index + 1)")
            }
        }
    }
}
