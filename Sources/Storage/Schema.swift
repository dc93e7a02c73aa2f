internal import CPages
internal import Engine
internal import Formats

/// The shape of the database.
///
/// `Docs/Data.md` explains the tables.
enum Schema {
    /// "STOA" in ASCII; tells the file from other SQLite databases.
    static let applicationID = Int64(CPAGES_APPLICATION)
    /// "stoa": what programs before the first release wrote, which cannot be read.
    static let earlierApplicationID: Int64 = 0x7374_6F61
    /// The version that this build writes and reads; `PRAGMA user_version`.
    static let version = 3

    // Integers that stand for unsigned 64-bit values (hlc, incarnation) have their top bit flipped,
    // so that SQLite's signed order is theirs.
    private static let tables = """
        CREATE TABLE state (
            one INTEGER PRIMARY KEY CHECK (one = 1),
            owner BLOB NOT NULL,
            incarnation INTEGER,
            starts INTEGER NOT NULL,
            token BLOB NOT NULL,
            given INTEGER NOT NULL DEFAULT 0,
            dropped INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE conversations (
            id INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            kind INTEGER,
            realm BLOB,
            name TEXT,
            suite INTEGER,
            root BLOB,
            peer BLOB,
            joined INTEGER,
            shown INTEGER,
            unread INTEGER NOT NULL DEFAULT 0,
            mentions INTEGER NOT NULL DEFAULT 0,
            latest INTEGER NOT NULL DEFAULT 0,
            read INTEGER NOT NULL DEFAULT 0,
            arranged INTEGER NOT NULL DEFAULT 0,
            days INTEGER,
            size INTEGER,
            bytes INTEGER NOT NULL DEFAULT 0
        ) STRICT;
        CREATE TABLE authors (
            id INTEGER PRIMARY KEY,
            key BLOB NOT NULL UNIQUE
        ) STRICT;
        CREATE TABLE persons (
            id INTEGER PRIMARY KEY,
            hash BLOB NOT NULL UNIQUE,
            keys BLOB
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
            fork INTEGER,
            person INTEGER REFERENCES persons,
            source TEXT,
            marks INTEGER NOT NULL DEFAULT 0,
            bytes INTEGER NOT NULL DEFAULT 0,
            UNIQUE (conversation, author, incarnation)
        ) STRICT;
        CREATE INDEX logs_by_author ON logs (author);
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
            class INTEGER NOT NULL,
            kind INTEGER,
            flags INTEGER NOT NULL,
            prefix INTEGER NOT NULL,
            suffix BLOB NOT NULL,
            attestation BLOB,
            extra BLOB,
            payload BLOB
        ) STRICT;
        CREATE UNIQUE INDEX entries_by_position ON entries (log, seq);
        CREATE INDEX entries_by_time ON entries (conversation, hlc)
            WHERE \(EntryFlags.isInPlaceSQL);
        CREATE INDEX entries_beside ON entries (conversation, hlc)
            WHERE \(EntryFlags.isBesideSQL);
        CREATE INDEX entries_held ON entries (hlc) WHERE arrival < 0;
        CREATE INDEX entries_held_of_known ON entries (hlc)
            WHERE arrival < 0 AND flags & \(EntryFlags.ofKnown.rawValue);
        CREATE INDEX entries_wanted ON entries (log, seq)
            WHERE flags & \(EntryFlags.wanted.rawValue);
        CREATE INDEX entries_of_members ON entries (log, hlc)
            WHERE flags & \(EntryFlags.attendance.rawValue);
        CREATE INDEX entries_of_topics ON entries (conversation, hlc)
            WHERE kind = \(EntryKind.topic.rawValue);
        CREATE TABLE refs (
            place INTEGER NOT NULL,
            target INTEGER NOT NULL,
            prefix INTEGER NOT NULL,
            kind INTEGER NOT NULL,
            person INTEGER NOT NULL,
            hlc INTEGER NOT NULL,
            id INTEGER NOT NULL,
            log INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY (place, target, prefix, kind, person, hlc, id, log, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX refs_by_position ON refs (log, seq);
        CREATE INDEX refs_by_log ON refs (log, place, target);
        CREATE TABLE attachments (
            blob BLOB NOT NULL,
            conversation INTEGER NOT NULL REFERENCES conversations,
            log INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            size INTEGER NOT NULL,
            PRIMARY KEY (blob, conversation, log, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE UNIQUE INDEX attachments_by_position ON attachments (log, seq);
        CREATE TABLE erasures (
            place INTEGER NOT NULL,
            target INTEGER NOT NULL,
            prefix INTEGER NOT NULL,
            person INTEGER NOT NULL,
            log INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY (place, target, prefix, person, log, seq)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX erasures_by_position ON erasures (log, seq);
        CREATE TABLE members (
            conversation INTEGER NOT NULL REFERENCES conversations,
            author INTEGER NOT NULL REFERENCES authors,
            present INTEGER NOT NULL,
            hlc INTEGER NOT NULL,
            incarnation INTEGER NOT NULL,
            seq INTEGER NOT NULL,
            PRIMARY KEY (conversation, author)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX members_by_author ON members (author);
        CREATE TABLE positions (
            log INTEGER NOT NULL REFERENCES logs,
            author INTEGER NOT NULL REFERENCES authors,
            stored INTEGER NOT NULL,
            read INTEGER NOT NULL,
            PRIMARY KEY (log, author)
        ) STRICT, WITHOUT ROWID;
        CREATE INDEX positions_by_author ON positions (author);
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
            seen INTEGER NOT NULL,
            keys BLOB
        ) STRICT;
        CREATE TABLE requests (
            person BLOB PRIMARY KEY,
            peer BLOB NOT NULL,
            text TEXT NOT NULL,
            milliseconds INTEGER NOT NULL,
            source TEXT NOT NULL,
            declined INTEGER NOT NULL
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE people (
            author INTEGER PRIMARY KEY REFERENCES authors,
            standing INTEGER NOT NULL
        ) STRICT;
        CREATE TABLE notices (
            number INTEGER PRIMARY KEY,
            arrival INTEGER NOT NULL UNIQUE,
            conversation INTEGER REFERENCES conversations,
            kind INTEGER NOT NULL,
            subject INTEGER REFERENCES authors,
            body BLOB NOT NULL
        ) STRICT;
        CREATE INDEX notices_by_subject ON notices (subject, conversation, kind)
            WHERE subject IS NOT NULL;
        CREATE TABLE consumers (
            name TEXT NOT NULL,
            conversation INTEGER NOT NULL,
            cursor INTEGER NOT NULL,
            PRIMARY KEY (name, conversation)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE sends (
            number INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversations,
            key TEXT NOT NULL,
            log INTEGER NOT NULL REFERENCES logs,
            seq INTEGER NOT NULL,
            milliseconds INTEGER NOT NULL,
            UNIQUE (conversation, key)
        ) STRICT;
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
        INSERT INTO indexing (one, indexed, until, prefix) VALUES (1, 0, 0, 0);
        """

    /// What brings a file from each version to the next, from the first on.
    ///
    /// What is here has been in use, and never changes: every later change of the tables is one more step, and a new
    /// file takes all of them.
    private static let steps = [
        """
        CREATE TABLE acts (
            place INTEGER PRIMARY KEY,
            conversation INTEGER NOT NULL REFERENCES conversations,
            id BLOB NOT NULL,
            act BLOB NOT NULL,
            UNIQUE (conversation, id)
        ) STRICT;
        CREATE TABLE epochs (
            conversation INTEGER NOT NULL REFERENCES conversations,
            id BLOB NOT NULL,
            key BLOB NOT NULL,
            maker BLOB NOT NULL,
            device BLOB NOT NULL,
            basis BLOB NOT NULL,
            people BLOB NOT NULL,
            PRIMARY KEY (conversation, id)
        ) STRICT, WITHOUT ROWID;
        CREATE TABLE asked (
            hash BLOB PRIMARY KEY,
            device BLOB NOT NULL,
            id BLOB NOT NULL,
            acts BLOB NOT NULL,
            milliseconds INTEGER NOT NULL,
            source TEXT NOT NULL
        ) STRICT, WITHOUT ROWID;
        """,
        // ``Database/sealColumns()`` seals what is in the tables.
        "ALTER TABLE epochs ADD COLUMN placed INTEGER NOT NULL DEFAULT 1",
    ]

    /// The first version of which columns are sealed.
    static let sealedVersion = 3

    /// How to read from a file as it is whether the log that announces a key is here; files of version 2 do not say.
    static func placed(in database: Database) throws(SQLiteError) -> String {
        // Not by the version: a repair gives a file whose first page is lost that of another.
        let columns = "SELECT count(*) FROM pragma_table_info('epochs') WHERE name = 'placed'"
        return try database.int(columns) == 0 ? "1 AS placed" : "placed"
    }

    /// What streams have brought, which has an end of its own.
    ///
    /// Made where it is missing, since files of before it have none.
    static let streamIndex =
        """
        CREATE INDEX IF NOT EXISTS entries_of_streams ON entries (conversation, hlc)
            WHERE \(EntryFlags.isOfStreamSQL)
        """

    /// What the user's devices have told each other, and what logs announce of keys; made as the index of streams is.
    ///
    /// One index for both: each costs something with every entry that comes.
    static let kindsIndex =
        """
        CREATE INDEX IF NOT EXISTS entries_of_kinds ON entries (kind, conversation, log)
            WHERE kind = \(EntryKind.own.rawValue) OR kind = \(EntryKind.epoch.rawValue);
        DROP INDEX IF EXISTS entries_of_own
        """

    /// Makes the tables of an empty file.
    static func create(_ database: Database, version: Int = version) throws(SQLiteError) {
        try database.transaction { () throws(SQLiteError) in
            try database.execute(Self.tables)
            try database.execute(Self.streamIndex)
            try database.execute("PRAGMA application_id = \(Self.applicationID)")
            try Self.take(Self.steps.prefix(version - 1), on: database)
            // A damaged file of the first version is read by an empty one of that version, which has no such index.
            if version == Self.version { try database.execute(Self.kindsIndex) }
        }
    }

    /// Brings a file of an earlier version to this one, in one transaction.
    static func migrate(_ database: Database, from version: Int) throws(SQLiteError) {
        try database.execute(Self.streamIndex)
        // It reads all entries, and a damaged file is to be repaired without it.
        try? database.execute(Self.kindsIndex)
        guard version < Self.version else { return }
        try database.transaction { () throws(SQLiteError) in
            try Self.take(Self.steps.dropFirst(version - 1), on: database)
            if version < Self.sealedVersion { try database.sealColumns() }
        }
        // What was in the open is in frames of the log, too. A start behind one that was killed here empties it.
        if version < Self.sealedVersion { _ = database.emptyLog() }
    }

    private static func take(
        _ steps: ArraySlice<String>, on database: Database
    ) throws(SQLiteError) {
        for step in steps { try database.execute(step) }
        try database.execute("PRAGMA user_version = \(steps.endIndex + 1)")
    }
}
