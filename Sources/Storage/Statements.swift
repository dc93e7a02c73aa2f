/// The statements of the store, each compiled when it is first used.
struct Statements {
    let names: NameStatements
    let entries: EntryStatements
    let ids: IDStatements
    let effects: EffectStatements
    let values: ValueStatements
    let reading: ReadingStatements

    /// How far arrivals have come, held ones counted too; grows with every entry that is appended.
    static let markSQL =
        """
        SELECT (\(newestSQL)) - min(coalesce((SELECT min(arrival) FROM entries), 0), 0)
        """

    /// The greatest arrival number that was ever given; 0 where none was.
    static let newestSQL =
        """
        SELECT max(coalesce((SELECT max(arrival) FROM entries), 0), 0)
        """

    /// Names all of them.
    init(_ database: Database) {
        self.names = NameStatements(database)
        self.entries = EntryStatements(database)
        self.ids = IDStatements(database)
        self.effects = EffectStatements(database)
        self.values = ValueStatements(database)
        self.reading = ReadingStatements(database)
    }
}

/// Statements on conversations, authors, logs and fork proofs.
struct NameStatements {
    let conversation: Statement
    let addConversation: Statement
    let author: Statement
    let addAuthor: Statement
    let log: Statement
    let addLog: Statement
    let updateLog: Statement
    let showHead: Statement
    let setFork: Statement
    let replaceProof: Statement
    let proof: Statement
    let logsOfAuthor: Statement

    /// Names them.
    init(_ database: Database) {
        self.conversation = database.statement("SELECT id FROM conversations WHERE hash = ?1")
        self.addConversation = database.statement(
            "INSERT INTO conversations (hash) VALUES (?1) RETURNING id")
        self.author = database.statement("SELECT id FROM authors WHERE key = ?1")
        self.addAuthor = database.statement("INSERT INTO authors (key) VALUES (?1) RETURNING id")
        self.log = database.statement(
            """
            SELECT id, seq, head, hlc, shown, last, fork FROM logs
            WHERE conversation = ?1 AND author = ?2 AND incarnation = ?3
            """)
        self.addLog = database.statement(
            """
            INSERT INTO logs (conversation, author, incarnation, seq, head, hlc, shown, last)
            VALUES (?1, ?2, ?3, 0, zeroblob(32), ?4, 0, ?4) RETURNING id
            """)
        self.updateLog = database.statement(
            """
            UPDATE logs SET (\(LogColumn.sql)) = (\(LogColumn.parameters))
            WHERE id = ?\(LogColumn.id)
            """)
        self.showHead = database.statement(
            "UPDATE logs SET shown = 1 WHERE id = ?1 AND seq = ?2")
        self.setFork = database.statement("UPDATE logs SET fork = ?2 WHERE id = ?1")
        self.replaceProof = database.statement(
            "INSERT OR REPLACE INTO forks (log, proof) VALUES (?1, ?2)")
        self.proof = database.statement(
            """
            SELECT f.proof FROM conversations c JOIN authors a
            JOIN logs l ON l.conversation = c.id AND l.author = a.id AND l.incarnation = ?3
            JOIN forks f ON f.log = l.id WHERE c.hash = ?1 AND a.key = ?2
            """)
        self.logsOfAuthor = database.statement(
            "SELECT id FROM logs WHERE conversation = ?1 AND author = ?2")
    }
}

/// Statements that write entries, move them, and read them for peers.
struct EntryStatements {
    let newestArrival: Statement
    let oldestArrival: Statement
    let insert: Statement
    let byPosition: Statement
    let byArrival: Statement
    let mark: Statement
    let markOne: Statement
    let move: Statement
    let countHeld: Statement
    let firstHeld: Statement
    let dueHeld: Statement
    let heldFrom: Statement
    let run: Statement
    let idAt: Statement

    /// Names them.
    init(_ database: Database) {
        let row =
            """
            SELECT \(PlaceColumn.sql)
            FROM entries e CROSS JOIN logs l ON l.id = e.log
            """
        self.newestArrival = database.statement(Statements.newestSQL)
        self.oldestArrival = database.statement("SELECT min(arrival) FROM entries")
        self.insert = database.statement(
            """
            INSERT INTO entries (\(EntryColumn.sql)) VALUES (\(EntryColumn.parameters))
            """)
        self.byPosition = database.statement("\(row) WHERE e.log = ?1 AND e.seq = ?2")
        self.byArrival = database.statement("\(row) WHERE e.arrival = ?1")
        self.mark = database.statement(
            """
            UPDATE entries SET flags = flags | ?4
            WHERE log = ?1 AND seq >= ?2 AND seq < ?3 AND arrival > 0
            """)
        self.markOne = database.statement(
            "UPDATE entries SET flags = flags | ?2 WHERE arrival = ?1")
        self.move = database.statement("UPDATE entries SET arrival = ?2 WHERE arrival = ?1")
        self.countHeld = database.statement(
            "SELECT count(*) FROM entries INDEXED BY entries_held WHERE arrival < 0")
        self.firstHeld = database.statement(
            "SELECT min(hlc) FROM entries INDEXED BY entries_held WHERE arrival < 0")
        self.dueHeld = database.statement(
            """
            SELECT e.arrival, length(e.payload) FROM entries e INDEXED BY entries_held
            CROSS JOIN logs l ON l.id = e.log CROSS JOIN authors a ON a.id = l.author
            WHERE e.arrival < 0 AND e.hlc <= ?1
            ORDER BY e.hlc, a.key, l.incarnation, e.seq LIMIT ?2
            """)
        self.heldFrom = database.statement(
            """
            SELECT arrival FROM entries
            WHERE log = ?1 AND seq >= ?2 AND seq < ?3 AND arrival < 0
            """)
        self.run = database.statement(
            """
            SELECT seq, hlc, kind, attestation, extra, payload FROM entries
            WHERE log = ?1 AND seq >= ?2 ORDER BY seq
            """)
        self.idAt = database.statement(
            "SELECT prefix, suffix FROM entries WHERE log = ?1 AND seq = ?2")
    }
}

/// Statements on the way from ids to entries.
struct IDStatements {
    let locate: Statement
    let locateArrival: Statement
    let add: Statement
    let move: Statement
    let progress: Statement
    let setProgress: Statement
    let recent: Statement

    /// Names them.
    init(_ database: Database) {
        self.locate = database.statement(
            """
            SELECT i.arrival FROM ids i CROSS JOIN entries e ON e.arrival = i.arrival
            WHERE i.prefix = ?1 AND e.suffix = ?2
            """)
        self.locateArrival = database.statement(
            "SELECT arrival FROM entries WHERE arrival = ?1 AND suffix = ?2")
        // What was there already when a round was cut short comes once more.
        self.add = database.statement("INSERT OR IGNORE INTO ids (prefix, arrival) VALUES (?1, ?2)")
        self.move = database.statement(
            """
            UPDATE ids SET arrival = ?2
            WHERE prefix = (SELECT prefix FROM entries WHERE arrival = ?2) AND arrival = ?1
            """)
        self.progress = database.statement("SELECT indexed, until, prefix FROM indexing")
        self.setProgress = database.statement(
            "UPDATE indexing SET indexed = ?1, until = ?2, prefix = ?3")
        self.recent = database.statement(
            "SELECT prefix, arrival FROM entries WHERE arrival > ?1 ORDER BY arrival")
    }
}

/// Statements on what follows from entries: what is unread, members.
struct EffectStatements {
    let noteShown: Statement
    let upsertMember: Statement
    let removeMember: Statement
    let latestMembership: Statement
    let readPosition: Statement
    let setRead: Statement
    let countUnread: Statement

    /// Names them.
    init(_ database: Database) {
        self.noteShown = database.statement(
            """
            UPDATE conversations SET shown = max(coalesce(shown, ?2), ?2), unread = unread + ?3,
                latest = max(latest, ?4) WHERE id = ?1
            """)
        self.upsertMember = database.statement(
            """
            INSERT INTO members (conversation, author, present, hlc, incarnation, seq)
            VALUES (?1, ?2, ?3, ?4, ?5, ?6)
            ON CONFLICT (conversation, author) DO UPDATE
            SET present = ?3, hlc = ?4, incarnation = ?5, seq = ?6
            WHERE (?4, ?5, ?6) > (hlc, incarnation, seq)
            """)
        self.removeMember = database.statement(
            "DELETE FROM members WHERE conversation = ?1 AND author = ?2")
        self.latestMembership = database.statement(
            """
            SELECT arrival FROM entries INDEXED BY entries_of_members
            WHERE log = ?1 AND flags & \(EntryFlags.attendance.rawValue) AND arrival > 0
                AND flags & \(EntryFlags.unseen.union(.disputed).rawValue) = 0
            ORDER BY hlc DESC LIMIT 1
            """)
        self.readPosition = database.statement(
            "SELECT id, read, latest, unread FROM conversations WHERE hash = ?1")
        self.setRead = database.statement(
            "UPDATE conversations SET read = ?2, unread = ?3 WHERE id = ?1")
        self.countUnread = database.statement(
            """
            SELECT count(*) FROM entries e NOT INDEXED CROSS JOIN logs l ON l.id = e.log
            WHERE e.arrival > ?2 AND e.arrival <= ?3 AND e.conversation = ?4
                AND \(EntryFlags.isCountedSQL) AND l.author <> ?1
            """)
    }
}

/// Statements on small values: rooms, records, peers, idempotency keys, consumers.
struct ValueStatements {
    let setIncarnation: Statement
    let setMembership: Statement
    let replaceRecord: Statement
    let upsertPeer: Statement
    let countPeers: Statement
    let prunePeers: Statement
    let addSend: Statement
    let oldestSend: Statement
    let newestSend: Statement
    let removeSend: Statement
    let consumer: Statement
    let consumers: Statement
    let acknowledge: Statement
    let removeConsumer: Statement

    /// Names them.
    init(_ database: Database) {
        self.setIncarnation = database.statement("UPDATE state SET incarnation = ?1")
        self.setMembership = database.statement(
            "UPDATE conversations SET name = ?2, joined = ?3 WHERE id = ?1")
        self.replaceRecord = database.statement(
            """
            INSERT OR REPLACE INTO records (author, conversation, kind, record)
            VALUES (?1, ?2, ?3, ?4)
            """)
        self.upsertPeer = database.statement(
            "INSERT OR REPLACE INTO peers (author, addresses, seen) VALUES (?1, ?2, ?3)")
        self.countPeers = database.statement("SELECT count(*) FROM peers")
        self.prunePeers = database.statement(
            """
            DELETE FROM peers WHERE author IN
                (SELECT author FROM peers ORDER BY seen DESC, author LIMIT -1 OFFSET ?1)
            """)
        self.addSend = database.statement(
            """
            INSERT OR IGNORE INTO sends (conversation, key, log, seq, milliseconds)
            VALUES (?1, ?2, ?3, ?4, ?5)
            """)
        self.oldestSend = database.statement(
            "SELECT number, milliseconds FROM sends ORDER BY number LIMIT 1")
        self.newestSend = database.statement(
            "SELECT number, milliseconds FROM sends ORDER BY number DESC LIMIT 1")
        self.removeSend = database.statement("DELETE FROM sends WHERE number = ?1")
        self.consumer = database.statement(
            "SELECT cursor FROM consumers WHERE name = ?1 AND conversation = ?2")
        self.consumers = database.statement(
            """
            SELECT k.name, c.hash, k.cursor FROM consumers k
            LEFT JOIN conversations c ON c.id = k.conversation ORDER BY k.name, c.hash
            """)
        self.removeConsumer = database.statement("DELETE FROM consumers WHERE name = ?1")
        self.acknowledge = database.statement(
            """
            INSERT INTO consumers (name, conversation, cursor) VALUES (?1, ?2, ?3)
            ON CONFLICT (name, conversation) DO UPDATE SET cursor = max(cursor, ?3)
            """)
    }
}

/// Statements that read entries for people and scripts.
struct ReadingStatements {
    let stored: Statement
    let send: Statement
    let historyBefore: Statement
    let historyAfter: Statement
    let arrivals: Statement
    let shown: Statement
    let summaries: Statement
    let lastMessage: Statement

    private static let stored = StoredColumn.sql

    /// The tables that these columns come from, entries first.
    private static let joined =
        """
        CROSS JOIN logs l ON l.id = e.log CROSS JOIN authors a ON a.id = l.author
        CROSS JOIN conversations c ON c.id = e.conversation
        """

    /// Names them.
    init(_ database: Database) {
        self.stored = database.statement(
            """
            SELECT \(Self.stored) FROM entries e \(Self.joined) WHERE e.arrival = ?1
            """)
        self.send = database.statement(
            """
            SELECT \(Self.stored) FROM sends s
            CROSS JOIN entries e ON e.log = s.log AND e.seq = s.seq
            \(Self.joined) WHERE s.conversation = ?1 AND s.key = ?2
            """)
        // Both bounds of the clock serve the index; the rest of the order only breaks ties.
        self.historyBefore = database.statement(
            """
            SELECT \(Self.stored) FROM entries e INDEXED BY entries_by_time \(Self.joined)
            WHERE e.conversation = ?1 AND e.hlc <= ?2 AND e.hlc >= ?3
                AND (e.hlc < ?2 OR (a.key, l.incarnation, e.seq) < (?4, ?5, ?6))
                AND e.arrival > 0 AND e.flags & \(EntryFlags.unseen.rawValue) = 0
            ORDER BY e.hlc DESC, a.key DESC, l.incarnation DESC, e.seq DESC
            """)
        self.historyAfter = database.statement(
            """
            SELECT \(Self.stored) FROM entries e INDEXED BY entries_by_time \(Self.joined)
            WHERE e.conversation = ?1 AND e.hlc >= ?3 AND e.hlc <= ?7
                AND (e.hlc > ?2 OR (a.key, l.incarnation, e.seq) > (?4, ?5, ?6))
                AND e.arrival > 0 AND e.flags & \(EntryFlags.unseen.rawValue) = 0
            ORDER BY e.hlc, a.key, l.incarnation, e.seq
            """)
        self.arrivals = database.statement(
            """
            SELECT \(Self.stored) FROM entries e \(Self.joined)
            WHERE e.arrival > max(?1, 0) ORDER BY e.arrival
            """)
        self.shown = database.statement("SELECT id, shown FROM conversations WHERE hash = ?1")
        self.summaries = database.statement(
            "SELECT id, hash, unread, read, shown FROM conversations ORDER BY hash")
        self.lastMessage = database.statement(
            """
            SELECT \(Self.stored) FROM entries e INDEXED BY entries_by_time \(Self.joined)
            WHERE e.conversation = ?1 AND e.hlc <= ?2
                AND e.arrival > 0 AND \(EntryFlags.isCountedSQL)
            ORDER BY e.hlc DESC, a.key DESC, l.incarnation DESC, e.seq DESC LIMIT 1
            """)
    }
}
