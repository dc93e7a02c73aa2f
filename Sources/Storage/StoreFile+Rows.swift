internal import Engine
internal import Formats
internal import Crypto

/// A row of `logs`.
struct LogRow {
    var id: Int64
    var head: Head
    /// Whether the head is shown.
    var isHeadShown: Bool
    /// The smallest proven fork point.
    var forkPoint: UInt64?
    /// The row of the person whose log it is.
    var person: Int64?
    /// What its entries take, as ``Entry/storedBytes(with:)`` counts.
    var bytes: Int64 = 0
}

/// What the store needs of an entry to place it.
struct EntryRow {
    var arrival: Int64
    var log: Int64
    var seq: Int64
    var conversation: Int64
    var time: HybridTime
    var flags: EntryFlags
    var author: Int64
    var incarnation: Int64
    var id: EntryID

    /// What becomes of it.
    var visibility: Visibility { Visibility(arrival: self.arrival, flags: self.flags) }
    /// Whether people see it: it is shown, and there is something to be seen.
    var isSeen: Bool { self.visibility.isShown && !self.flags.contains(.hidden) }
    /// Whether it counts as unread, if the owner has not written it.
    var isUnread: Bool {
        self.isSeen && self.flags.intersection([.counted, .ofUser]) == .counted
    }

    /// Whether what it says takes effect: it counts, and can be read.
    var takesEffect: Bool { self.visibility.takesEffect && !self.flags.contains(.hidden) }

    /// What it says of its author's being a member; nil where it says nothing of that.
    var attendance: Attendance? {
        self.flags.attendance.map { isPresent in
            Attendance(
                isPresent: isPresent, time: self.time,
                incarnation: UInt64(stored: self.incarnation), seq: UInt64(bitPattern: self.seq))
        }
    }
}

extension Attendance {
    /// Reads a row of `members`.
    init(_ row: Statement) {
        self.init(
            isPresent: row.int(.present) != 0, time: HybridTime(stored: row.int(.hlc)),
            incarnation: UInt64(stored: row.int(.incarnation)),
            seq: UInt64(bitPattern: row.int(.seq)))
    }
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
        let id = try self.statements.names.conversation.bind(.hash, conversation.hash).int()
        if let id { self.knownConversations.add(conversation, id) }
        return id
    }

    /// The id of an author's row; nil where nothing is known of them.
    func authorRow(_ author: PeerID) throws(SQLiteError) -> Int64? {
        if let id = self.knownAuthors[author] { return id }
        let id = try self.statements.names.author.bind(.key, author.key).int()
        if let id { self.knownAuthors.add(author, id) }
        return id
    }

    /// A conversation's row, made where it is missing.
    func makeConversationRow(_ conversation: ConversationID) throws(SQLiteError) -> Int64 {
        if let id = try self.conversationRow(conversation) { return id }
        return try self.statements.names.addConversation.bind(.hash, conversation.hash).added()
    }

    /// An author's row, made where it is missing.
    func makeAuthorRow(_ author: PeerID) throws(SQLiteError) -> Int64 {
        if let id = try self.authorRow(author) { return id }
        return try self.statements.names.addAuthor.bind(.key, author.key).added()
    }

    /// A person's row, made where it is missing.
    func makePersonRow(
        _ person: PersonID, _ keys: PublicPerson?
    ) throws(SQLiteError) -> Int64 {
        if let id = try self.statements.names.person.bind(.hash, person.hash).int() { return id }
        return try self.statements.names.addPerson.bind(.hash, person.hash)
            .bind(.keys, keys?.encoded).added()
    }

    /// The row of a log; nil where nothing is known of it.
    func logRow(
        conversation: Int64, author: Int64, incarnation: UInt64
    ) throws(SQLiteError) -> LogRow? {
        try self.statements.names.log.bind(.conversation, conversation).bind(.author, author)
            .bind(.incarnation, incarnation.stored).first { (row) throws(SQLiteError) in
                LogRow(
                    id: row.int(.id),
                    head: Head(
                        seq: UInt64(bitPattern: row.int(.seq)), id: EntryID(try row.bytes32(.head)),
                        time: HybridTime(stored: row.int(.hlc))),
                    isHeadShown: row.int(.shown) != 0,
                    forkPoint: row.optionalInt(.fork).map { UInt64(bitPattern: $0) },
                    person: row.optionalInt(.person), bytes: row.int(.bytes))
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
        try statement.bind(.conversation, conversation).bind(.author, author)
            .bind(.incarnation, incarnation.stored).bind(.hlc, HybridTime(0).stored)
        return LogRow(
            id: try statement.added(), head: .start, isHeadShown: false, forkPoint: nil, person: nil
        )
    }

    /// The id of the entry at a position; nil where there is none.
    func entryID(log: Int64, seq: UInt64) throws(SQLiteError) -> EntryID? {
        try self.statements.entries.idAt.bind(.log, log).bind(.seq, Int64(bitPattern: seq))
            .first { (row) throws(SQLiteError) in
                try EntryID(prefix: row.int(.prefix), suffix: row.bytes(.suffix))
            }
    }

    /// Reads what ``EntryStatements`` gives to place an entry.
    func entryRow(_ row: Statement) throws(SQLiteError) -> EntryRow {
        EntryRow(
            arrival: row.int(.arrival), log: row.int(.log), seq: row.int(.seq),
            conversation: row.int(.conversation), time: HybridTime(stored: row.int(.hlc)),
            flags: EntryFlags(rawValue: row.int(.flags)), author: row.int(.author),
            incarnation: row.int(.incarnation),
            id: try EntryID(prefix: row.int(.prefix), suffix: row.bytes(.suffix)))
    }

    /// The entry at a position; nil where there is none.
    func entryRow(log: Int64, seq: UInt64) throws(SQLiteError) -> EntryRow? {
        try self.statements.entries.byPosition.bind(.log, log)
            .bind(.seq, Int64(bitPattern: seq))
            .first { (row) throws(SQLiteError) in try self.entryRow(row) }
    }

    /// The entry with an arrival number; nil where there is none.
    func entryRow(arrival: Int64) throws(SQLiteError) -> EntryRow? {
        try self.statements.entries.byArrival.bind(.arrival, arrival)
            .first { (row) throws(SQLiteError) in try self.entryRow(row) }
    }
}
