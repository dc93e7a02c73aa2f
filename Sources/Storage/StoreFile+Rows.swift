internal import Engine
internal import Crypto

/// A row of `logs`.
struct LogRow {
    var id: Int64
    var head: Head
    /// Whether the head is shown.
    var isHeadShown: Bool
    /// The greatest time in the log, also behind a fork point.
    var last: HybridTime
    /// The smallest proven fork point.
    var forkPoint: UInt64?
}

/// What the store needs of an entry to place it.
struct EntryRow {
    var arrival: Int64
    var log: Int64
    var seq: Int64
    var conversation: Int64
    var time: HybridTime
    var kind: UInt8
    var flags: EntryFlags
    var author: Int64
    var incarnation: Int64
    var id: EntryID

    /// What becomes of it.
    var visibility: Visibility { Visibility(arrival: self.arrival, flags: self.flags) }
    /// Whether people see it: it is shown, and this version can read it.
    var isSeen: Bool { self.visibility.isShown && !self.flags.contains(.unreadable) }
}

/// A log, by the rows of its conversation and its author.
struct LogPlace: Hashable {
    var conversation: Int64
    var author: Int64
    var incarnation: UInt64
}

/// Rows that were looked for lately, or their ids.
struct KnownRows<Key: Hashable, Row> {
    private var rows: [Key: Row] = [:]
    private static var limit: Int { 4_096 }

    subscript(key: Key) -> Row? { self.rows[key] }

    mutating func add(_ key: Key, _ row: Row) {
        if self.rows.count >= Self.limit { self.rows = [:] }
        self.rows[key] = row
    }
}

extension StoreFile {
    /// The id of a conversation's row; nil where nothing is known of it.
    func conversationRow(_ conversation: ConversationID) throws(SQLiteError) -> Int64? {
        if let id = self.knownConversations[conversation] { return id }
        let statement = self.statements.names.conversation
        try statement.bind(1, conversation.hash)
        let id = try statement.first { (row) throws(SQLiteError) in row.int(0) }
        if let id { self.knownConversations.add(conversation, id) }
        return id
    }

    /// The id of an author's row; nil where nothing is known of them.
    func authorRow(_ author: PeerID) throws(SQLiteError) -> Int64? {
        if let id = self.knownAuthors[author] { return id }
        let statement = self.statements.names.author
        try statement.bind(1, author.key)
        let id = try statement.first { (row) throws(SQLiteError) in row.int(0) }
        if let id { self.knownAuthors.add(author, id) }
        return id
    }

    /// A conversation's row, made where it is missing.
    func makeConversationRow(_ conversation: ConversationID) throws(SQLiteError) -> Int64 {
        if let id = try self.conversationRow(conversation) { return id }
        let statement = self.statements.names.addConversation
        try statement.bind(1, conversation.hash)
        return try statement.added()
    }

    /// An author's row, made where it is missing.
    func makeAuthorRow(_ author: PeerID) throws(SQLiteError) -> Int64 {
        if let id = try self.authorRow(author) { return id }
        let statement = self.statements.names.addAuthor
        try statement.bind(1, author.key)
        return try statement.added()
    }

    /// The row of a log; nil where nothing is known of it.
    func logRow(
        conversation: Int64, author: Int64, incarnation: UInt64
    ) throws(SQLiteError) -> LogRow? {
        let statement = self.statements.names.log
        try statement.bind(1, conversation)
        try statement.bind(2, author)
        try statement.bind(3, incarnation.stored)
        return try statement.first { (row) throws(SQLiteError) in
            LogRow(
                id: row.int(0),
                head: Head(
                    seq: UInt64(bitPattern: row.int(1)), id: EntryID(try row.bytes32(2)),
                    time: HybridTime(stored: row.int(3))),
                isHeadShown: row.int(4) != 0, last: HybridTime(stored: row.int(5)),
                forkPoint: row.optionalInt(6).map { UInt64(bitPattern: $0) })
        }
    }

    /// The row of a log by its name; nil where nothing is known of it.
    func logRow(_ key: LogKey) throws(SQLiteError) -> LogRow? {
        guard let conversation = try self.conversationRow(key.conversation),
            let author = try self.authorRow(key.name.author)
        else { return nil }
        return try self.logRow(
            conversation: conversation, author: author, incarnation: key.name.incarnation)
    }

    /// The row of a log, made where it is missing.
    func makeLogRow(
        conversation: Int64, author: Int64, incarnation: UInt64
    ) throws(SQLiteError) -> LogRow {
        let place = LogPlace(
            conversation: conversation, author: author, incarnation: incarnation)
        if let row = self.knownLogs[place] { return row }
        if let row = try self.logRow(
            conversation: conversation, author: author, incarnation: incarnation)
        {
            return row
        }
        let statement = self.statements.names.addLog
        try statement.bind(1, conversation)
        try statement.bind(2, author)
        try statement.bind(3, incarnation.stored)
        try statement.bind(4, HybridTime(0).stored)
        return LogRow(
            id: try statement.added(), head: .start, isHeadShown: false, last: HybridTime(0),
            forkPoint: nil)
    }

    /// The id of the entry at a position; nil where there is none.
    func entryID(log: Int64, seq: UInt64) throws(SQLiteError) -> EntryID? {
        let statement = self.statements.entries.idAt
        try statement.bind(1, log)
        try statement.bind(2, Int64(bitPattern: seq))
        return try statement.first { (row) throws(SQLiteError) in
            try EntryID(prefix: row.int(0), suffix: row.bytes(1))
        }
    }

    /// Reads the columns of ``PlaceColumn``.
    func entryRow(_ row: Statement) throws(SQLiteError) -> EntryRow {
        EntryRow(
            arrival: row.int(PlaceColumn.arrival), log: row.int(PlaceColumn.log),
            seq: row.int(PlaceColumn.seq), conversation: row.int(PlaceColumn.conversation),
            time: HybridTime(stored: row.int(PlaceColumn.hlc)),
            kind: UInt8(truncatingIfNeeded: row.int(PlaceColumn.kind)),
            flags: EntryFlags(rawValue: row.int(PlaceColumn.flags)),
            author: row.int(PlaceColumn.author), incarnation: row.int(PlaceColumn.incarnation),
            id: try EntryID(
                prefix: row.int(PlaceColumn.prefix), suffix: row.bytes(PlaceColumn.suffix)))
    }

    /// The entry at a position; nil where there is none.
    func entryRow(log: Int64, seq: UInt64) throws(SQLiteError) -> EntryRow? {
        let statement = self.statements.entries.byPosition
        try statement.bind(1, log)
        try statement.bind(2, Int64(bitPattern: seq))
        return try statement.first { (row) throws(SQLiteError) in try self.entryRow(row) }
    }

    /// The entry with an arrival number; nil where there is none.
    func entryRow(arrival: Int64) throws(SQLiteError) -> EntryRow? {
        let statement = self.statements.entries.byArrival
        try statement.bind(1, arrival)
        return try statement.first { (row) throws(SQLiteError) in try self.entryRow(row) }
    }

    /// Reads the columns of ``StoredColumn``.
    func storedEntry(_ row: Statement) throws(SQLiteError) -> StoredEntry {
        let flags = EntryFlags(rawValue: row.int(StoredColumn.flags))
        let arrival = row.int(StoredColumn.arrival)
        let visibility = Visibility(arrival: arrival, flags: flags)
        let name = LogName(
            author: PeerID(try row.bytes32(StoredColumn.author)),
            incarnation: UInt64(stored: row.int(StoredColumn.incarnation)))
        return StoredEntry(
            cursor: Cursor(visibility.isShown ? arrival : 0),
            key: LogKey(
                conversation: ConversationID(try row.bytes32(StoredColumn.conversation)),
                name: name),
            seq: UInt64(bitPattern: row.int(StoredColumn.seq)),
            id: try EntryID(
                prefix: row.int(StoredColumn.prefix), suffix: row.bytes(StoredColumn.suffix)),
            kind: UInt8(truncatingIfNeeded: row.int(StoredColumn.kind)),
            time: HybridTime(stored: row.int(StoredColumn.hlc)),
            payload: row.optionalBytes(StoredColumn.payload), isLate: flags.contains(.late),
            isDisputed: visibility.isDisputed)
    }
}

extension Statement {
    /// Runs an `INSERT … RETURNING id` and gives the id.
    func added() throws(SQLiteError) -> Int64 {
        // The row is returned before the statement is done; it must run to its end to take effect.
        defer { self.reset() }
        guard try self.step() else { throw .damaged("an insertion returned no id") }
        let id = self.int(0)
        _ = try self.step()
        return id
    }
}
