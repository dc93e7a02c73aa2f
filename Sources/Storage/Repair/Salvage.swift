internal import Engine
internal import Crypto

/// What can be read of a damaged database, row by row, and told apart by shape.
///
/// Entries go to a file beside it, since they may be more than fits into memory; what is small is
/// kept here. Nothing of it is believed yet: entries are verified when they are put together, and
/// small rows count only from pages with their checksum.
struct Salvage {
    struct Conversation {
        let hash: Bytes32
        let membership: RoomMembership?
        let read: Int64
    }

    struct Log {
        let conversation: Int64
        let author: Int64
        let incarnation: UInt64
        /// How many entries it had.
        let seq: UInt64
    }

    var conversations: [Int64: Conversation] = [:]
    var authors: [Int64: Bytes32] = [:]
    var logs: [Int64: Log] = [:]
    var proofs: [ForkProof] = []
    var records: [Record] = []
    var peers: [KnownPeer] = []
    /// Name and cursor; keys of sends look alike, so these are still among them.
    var consumers: [(name: String, cursor: Int64)] = []
    var starts: Int64?
    var entryCount = 0
    /// Pages whose checksum does not hold and that no single bit mends.
    var damagedPages: [UInt32] = []
    // What stands a second time, in indexes and records, for where the first one is lost.
    /// Hashes of conversations and keys of authors, by the number of the row; they look alike.
    private var pairs: [Int64: Set<Bytes32>] = [:]
    private var indexedLogs: [Int64: Log] = [:]
    private var recordAuthors: [Int64: Bytes32] = [:]
    private var peerRows: [(author: Int64, addresses: [UInt8], seen: Int64)] = []
    private let staging: Database
    private let insert: Statement
    private let insertSend: Statement

    /// The shape of the file beside the database; columns as in the rows' own tables.
    static let stagingSchema = """
        PRAGMA journal_mode = OFF;
        PRAGMA synchronous = OFF;
        CREATE TABLE entries (
            log INTEGER, seq INTEGER, sound INTEGER, arrival INTEGER, hlc INTEGER, kind INTEGER,
            flags INTEGER, prefix INTEGER, suffix BLOB, attestation BLOB, extra BLOB, payload BLOB);
        CREATE TABLE sends (
            number INTEGER, key TEXT, log INTEGER, seq INTEGER, milliseconds INTEGER);
        CREATE TABLE runs (log INTEGER, first INTEGER, count INTEGER, place INTEGER);
        BEGIN;
        """

    /// What comes once all rows are in.
    static let stagingIndexes = """
        CREATE INDEX entries_by_place ON entries (log, seq, sound DESC);
        CREATE INDEX sends_by_place ON sends (log, seq);
        CREATE INDEX sends_by_key ON sends (key);
        """

    init(into staging: Database) throws(SQLiteError) {
        self.staging = staging
        try staging.execute(Self.stagingSchema)
        self.insert = try staging.prepare(
            "INSERT INTO entries VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)")
        self.insertSend = try staging.prepare("INSERT INTO sends VALUES (?1, ?2, ?3, ?4, ?5)")
    }

    /// Takes a row, if it has the shape of one of ours.
    mutating func take(_ row: RawRow) throws(SQLiteError) {
        if try self.takeEntry(row) { return }
        guard row.isSound else { return }
        switch row.values.count {
        case 2: self.takePair(row)
        case 3:
            if case .blob(let bytes) = row.values[1], let seen = row.int(2), row.isAliased {
                self.peerRows.append((row.number, bytes, seen))
            }
        case 4: self.takeFour(row)
        case 5: try self.takeFive(row)
        case 8: self.takeConversation(row)
        case 10: self.takeLog(row)
        default: break
        }
    }

    private func takeEntry(_ row: RawRow) throws(SQLiteError) -> Bool {
        guard row.values.count == 12, row.isAliased,
            (1...7).allSatisfy({ row.int($0) != nil }), row.blob(8)?.count == 24
        else { return false }
        let statement = self.insert
        try statement.bind(1, row.int(1))
        try statement.bind(2, row.int(2))
        try statement.bind(3, row.isSound ? 1 : 0)
        try statement.bind(4, row.number)
        try statement.bind(5, row.int(4))
        try statement.bind(6, row.int(5))
        try statement.bind(7, row.int(6))
        try statement.bind(8, row.int(7))
        for (parameter, column) in zip(Int32(9)...12, 8...11) {
            try statement.bind(parameter, row.blob(column))
        }
        try statement.run()
        return true
    }

    private mutating func takePair(_ row: RawRow) {
        switch (row.values[0], row.values[1]) {
        case (.null, .blob(let bytes)) where bytes.count == 32:
            self.authors[row.number] = Bytes32(bytes)
        case (.null, .blob(let bytes)):
            if let proof = try? StoreFile.forkProof(bytes), proof.isValid {
                self.proofs.append(proof)
            }
        case (.blob(let bytes), .int(let number)) where row.number == 0 && bytes.count == 32:
            if let value = Bytes32(bytes) { self.pairs[number, default: []].insert(value) }
        case (.text(let name), .int(let cursor)) where row.number == 0:
            if let name = String(validating: name, as: UTF8.self) {
                self.consumers.append((name, cursor))
            }
        default: break
        }
    }

    private mutating func takeFour(_ row: RawRow) {
        if case .blob(let bytes) = row.values[3], let record = try? Record(decoding: bytes),
            record.isValid
        {
            self.records.append(record)
            if let author = row.int(0) { self.recordAuthors[author] = record.author.key }
        } else if let conversation = row.int(0), let author = row.int(1),
            let incarnation = row.int(2), let number = row.int(3)
        {
            self.indexedLogs[number] = Log(
                conversation: conversation, author: author,
                incarnation: UInt64(stored: incarnation), seq: 0)
        }
    }

    private mutating func takeFive(_ row: RawRow) throws(SQLiteError) {
        if case .text(let bytes) = row.values[1], row.isAliased, let log = row.int(2),
            let seq = row.int(3), let milliseconds = row.int(4),
            let key = String(validating: bytes, as: UTF8.self)
        {
            try self.insertSend.bind(1, row.number)
            try self.insertSend.bind(2, text: key)
            try self.insertSend.bind(3, log)
            try self.insertSend.bind(4, seq)
            try self.insertSend.bind(5, milliseconds)
            try self.insertSend.run()
        } else if row.isAliased, row.blob(1)?.count == 32, row.blob(4)?.count == 32 {
            self.starts = row.int(3)
        }
    }

    private mutating func takeConversation(_ row: RawRow) {
        guard row.isAliased, let hash = row.blob(1).flatMap({ Bytes32($0) }), let read = row.int(7)
        else { return }
        var membership: RoomMembership?
        if case .text(let bytes) = row.values[2],
            let text = String(validating: bytes, as: UTF8.self),
            let name = RoomName(text), name.conversation.hash == hash
        {
            membership = RoomMembership(name: name, isJoined: row.int(3) == 1)
        }
        self.conversations[row.number] = Conversation(
            hash: hash, membership: membership, read: read)
    }

    private mutating func takeLog(_ row: RawRow) {
        guard row.isAliased, let conversation = row.int(1), let author = row.int(2),
            let incarnation = row.int(3), let seq = row.int(4), row.blob(5)?.count == 32
        else { return }
        self.logs[row.number] = Log(
            conversation: conversation, author: author, incarnation: UInt64(stored: incarnation),
            seq: UInt64(bitPattern: seq))
    }

    /// Ends the gathering: what refers to each other is put together.
    mutating func finish(owner: PeerID) throws(SQLiteError) {
        try self.staging.execute("COMMIT; \(Self.stagingIndexes)")
        self.entryCount = Int(try self.staging.int("SELECT count(*) FROM entries"))
        try self.fillGaps(owner: owner)
        for row in self.peerRows {
            guard let key = self.authors[row.author],
                let addresses = try? StoreFile.addresses(row.addresses)
            else { continue }
            self.peers.append(
                KnownPeer(
                    id: PeerID(key), addresses: addresses, lastSeen: UInt64(stored: row.seen)))
        }
        // A newer record takes the place of an older one in the same row, so there is one of each.
        let isSend = try self.staging.prepare("SELECT 1 FROM sends WHERE key = ?1 AND number = ?2")
        var consumers: [(name: String, cursor: Int64)] = []
        for consumer in self.consumers {
            try isSend.bind(1, text: consumer.name)
            try isSend.bind(2, consumer.cursor)
            if try isSend.first({ _ in true }) == nil { consumers.append(consumer) }
        }
        self.consumers = consumers
    }

    /// Finds what was lost of logs, rooms and authors at its second place.
    ///
    /// What is wrong of this costs what it names: entries are verified with it.
    private mutating func fillGaps(owner: PeerID) throws(SQLiteError) {
        self.logs.merge(self.indexedLogs) { row, _ in row }
        let names = try self.roomNames()
        for place in Set(self.logs.values.map(\.conversation)).subtracting(self.conversations.keys)
        {
            guard
                let hash = names[place]?.conversation.hash
                    ?? self.pair(place, besides: self.authors[place])
            else { continue }
            self.conversations[place] = Conversation(hash: hash, membership: nil, read: 0)
        }
        for author in Set(self.logs.values.map(\.author)) where self.authors[author] == nil {
            self.authors[author] =
                self.recordAuthors[author]
                ?? self.pair(author, besides: self.conversations[author]?.hash)
        }
        // Of a single author that is still unknown only the owner can be said.
        let unknown = Set(self.logs.values.map(\.author)).filter { self.authors[$0] == nil }
        if let author = unknown.first, unknown.count == 1,
            !self.authors.values.contains(owner.key)
        {
            self.authors[author] = owner.key
        }
        for (place, isJoined) in try self.ownRooms(owner) {
            guard let found = self.conversations[place], found.membership == nil,
                let name = names[place]
            else { continue }
            self.conversations[place] = Conversation(
                hash: found.hash, membership: RoomMembership(name: name, isJoined: isJoined),
                read: found.read)
        }
    }

    /// The only value that an index has for a number, beside one that is known to be another's.
    private func pair(_ number: Int64, besides other: Bytes32?) -> Bytes32? {
        var values = self.pairs[number] ?? []
        if let other { values.remove(other) }
        return values.count == 1 ? values.first : nil
    }

    /// The names of rooms, by the number of the row: whoever joined a room wrote its name.
    private func roomNames() throws(SQLiteError) -> [Int64: RoomName] {
        var names: [Int64: RoomName] = [:]
        let joins = try self.staging.prepare(
            "SELECT log, payload FROM entries WHERE kind = \(EntryKind.join.rawValue)")
        try joins.forEach { (row) throws(SQLiteError) in
            // Suite and salt stand before the content.
            guard let place = self.logs[row.int(0)]?.conversation,
                let text = String(validating: row.bytes(1).dropFirst(17), as: UTF8.self),
                let name = RoomName(text)
            else { return }
            let known = self.conversations[place].map { [$0.hash] } ?? self.pairs[place]
            if known?.contains(name.conversation.hash) ?? true { names[place] = name }
        }
        return names
    }

    /// The rooms that the owner's logs join or leave, and which was the last.
    private func ownRooms(_ owner: PeerID) throws(SQLiteError) -> [Int64: Bool] {
        var rooms: [Int64: Bool] = [:]
        let memberships = try self.staging.prepare(
            "SELECT log, kind FROM entries WHERE kind IN (2, 3) ORDER BY hlc")
        try memberships.forEach { (row) throws(SQLiteError) in
            guard let log = self.logs[row.int(0)], self.authors[log.author] == owner.key else {
                return
            }
            rooms[log.conversation] = row.int(1) == Int64(EntryKind.join.rawValue)
        }
        return rooms
    }

    /// Whether anything of a store was found.
    var isEmpty: Bool {
        self.conversations.isEmpty && self.authors.isEmpty && self.entryCount == 0
            && self.starts == nil
    }
}

extension RawRow {
    /// Whether the first column stands for the row's number, as an integer primary key does.
    var isAliased: Bool { self.values.first == .null }

    /// A column that is an integer.
    func int(_ column: Int) -> Int64? {
        if case .int(let value) = self.values[column] { value } else { nil }
    }

    /// A column that is a blob.
    func blob(_ column: Int) -> [UInt8]? {
        if case .blob(let value) = self.values[column] { value } else { nil }
    }
}
