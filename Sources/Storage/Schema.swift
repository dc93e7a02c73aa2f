/// The shape of the database: every version of it, as the steps that lead from one to the next.
///
/// `PRAGMA user_version` counts the steps that a file has been through. A step that was released is
/// never edited; a change of the schema is a new step at the end. `Docs/Data.md` explains the
/// tables.
enum Schema {
    /// "stoa" in ASCII; tells the file from other SQLite databases.
    static let applicationID: Int64 = 0x7374_6F61

    /// The steps, oldest first.
    static let migrations: [String] = [Self.first, Self.second, Self.third]

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

    /// Pages have checksums, which are there already when this step runs (``Database/seal()``); the
    /// version keeps programs away that would write pages without.
    private static let second = "-- No table changes."

    /// Ids are indexed some time after their entries are stored, in sorted stretches.
    ///
    /// So the index is a table of our own, and `indexing` says how far it is; it has held ones, too.
    private static let third = """
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
