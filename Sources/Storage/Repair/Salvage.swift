internal import Engine
internal import Formats
internal import Crypto

/// What SQLite still reads of a damaged database.
///
/// Entries go to a file beside it, since they may be more than fits into memory; what is small is
/// kept here. Nothing of it is believed yet: entries are verified when they are put together.
struct Salvage {
    struct Conversation {
        let hash: Bytes32
        var membership: ConversationMembership?
        var arrangement: Arrangement = []
        var retention = Retention()
        var read: Int64 = 0
    }

    struct Log {
        let conversation: Int64
        let author: Int64
        let incarnation: UInt64
        /// How many entries it had.
        let seq: UInt64
    }

    struct Consumer {
        let name: String
        /// The conversation's row; 0 for all.
        let conversation: Int64
        let cursor: Int64
    }

    private(set) var conversations: [Int64: Conversation] = [:]
    private(set) var authors: [Int64: Bytes32] = [:]
    private(set) var logs: [Int64: Log] = [:]
    private(set) var proofs: [ForkProof] = []
    private(set) var records: [Record] = []
    private(set) var peers: [KnownPeer] = []
    private(set) var people: [PeerID: Standing] = [:]
    private(set) var requests: [DirectRequest] = []
    /// Acts, keys and requests of groups; acts in the order in which they were taken.
    private(set) var groups = GroupWrites()
    private(set) var consumers: [Consumer] = []
    private(set) var starts: Int64?
    private(set) var entryCount = 0
    /// The tables of which rows could not be read.
    private(set) var damagedTables: [String] = []

    private let source: Database
    private let staging: Database

    /// Reads what can be read of `source`; `staging` is an empty file.
    init(
        reading source: Database, into staging: Database, owner: PeerID, by judge: any EntryJudge
    ) throws(SQLiteError) {
        self.source = source
        self.staging = staging
        try staging.execute(
            """
            PRAGMA journal_mode = OFF;
            PRAGMA synchronous = OFF;
            CREATE TABLE entries (arrival INTEGER PRIMARY KEY, log INTEGER, seq INTEGER, hlc INTEGER,
                class INTEGER, flags INTEGER, attestation BLOB, extra BLOB, payload BLOB);
            CREATE TABLE sends (
                number INTEGER PRIMARY KEY, key TEXT, log INTEGER, seq INTEGER,
                milliseconds INTEGER);
            CREATE TABLE runs (log INTEGER, first INTEGER, count INTEGER, place INTEGER);
            BEGIN;
            """)
        try self.readNames()
        try self.readSmallRows()
        try self.readGroups()
        try self.readEntries()
        try staging.execute(
            """
            COMMIT;
            CREATE INDEX entries_by_place ON entries (log, seq);
            CREATE INDEX sends_by_place ON sends (log, seq);
            """)
        try self.findRooms(of: owner, by: judge)
    }

    /// The keys of the conversations whose rows could be read.
    var keyring: Keyring {
        var keyring = Keyring()
        for membership in self.conversations.values.compactMap(\.membership) {
            keyring.add(membership.kind)
        }
        let kinds = self.conversations.values.compactMap { $0.membership?.kind }
        let suites = Dictionary(
            kinds.map { ($0.id, $0.epochSuite) }, uniquingKeysWith: { $1 })
        for held in self.groups.epochs {
            if let key = held.conversationKey(suites[held.group] ?? nil) { keyring.add(key) }
        }
        return keyring
    }

    /// The log that a row names; nil where its conversation or author is lost.
    func key(_ log: Int64) -> LogKey? {
        guard let log = self.logs[log], let conversation = self.conversations[log.conversation],
            let author = self.authors[log.author]
        else { return nil }
        return LogKey(
            conversation: ConversationID(conversation.hash),
            name: LogName(author: PeerID(author), incarnation: log.incarnation))
    }

    /// Whether nothing of a store was found.
    var isEmpty: Bool {
        self.conversations.isEmpty && self.authors.isEmpty && self.entryCount == 0
            && self.starts == nil
    }

    private mutating func read(
        _ columns: String, of table: String,
        _ body: (Statement, inout Salvage) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        var rows = DamagedTable(table, in: self.source)
        try rows.read(columns) { (row) throws(SQLiteError) in try body(row, &self) }
        if rows.gaps > 0 { self.damagedTables.append(table) }
    }

    /// What an index has a second time, for where the table's own row is lost.
    private mutating func readIndex(
        _ columns: String, of table: String, orderedBy order: [String],
        _ body: (Statement, inout Salvage) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        var rows = DamagedTable(table, in: self.source)
        try rows.readFromBothEnds(
            "SELECT rowid AS row, \(columns) FROM \(table) INDEXED BY sqlite_autoindex_\(table)_1",
            orderedBy: order
        ) { (row) throws(SQLiteError) in try body(row, &self) }
    }

    private mutating func readNames() throws(SQLiteError) {
        try self.read(
            "hash, kind, realm, name, suite, root, peer, joined, read, arranged, days, size",
            of: "conversations"
        ) { row, salvage in
            guard let hash = try? row.bytes32(.hash) else { return }
            var found = Conversation(hash: hash, read: row.int(.read))
            if !row.isNull(.kind), let kind = ConversationKind(row, ConversationID(hash)) {
                found.membership = ConversationMembership(kind, isJoined: row.int(.joined) == 1)
            }
            found.retention = Retention(
                days: row.optionalInt(.days).map { UInt32(clamping: $0) },
                bytes: row.optionalInt(.size).map { UInt64(clamping: $0) })
            found.arrangement = Arrangement(
                rawValue: UInt8(truncatingIfNeeded: row.int(.arranged)))
            salvage.conversations[row.int(.row)] = found
        }
        try self.readIndex("hash", of: "conversations", orderedBy: ["hash"]) { row, salvage in
            guard salvage.conversations[row.int(.row)] == nil, let hash = try? row.bytes32(.hash)
            else {
                return
            }
            salvage.conversations[row.int(.row)] = Conversation(hash: hash)
        }
        try self.read("key", of: "authors") { row, salvage in
            salvage.authors[row.int(.row)] = try? row.bytes32(.key)
        }
        try self.readIndex("key", of: "authors", orderedBy: ["key"]) { row, salvage in
            salvage.authors[row.int(.row)] = try? row.bytes32(.key)
        }
        let place = ["conversation", "author", "incarnation"]
        func log(_ row: Statement, seq: UInt64) -> Log {
            Log(
                conversation: row.int(.conversation), author: row.int(.author),
                incarnation: UInt64(stored: row.int(.incarnation)), seq: seq)
        }
        let columns = place.joined(separator: ", ")
        try self.read("\(columns), seq", of: "logs") { row, salvage in
            salvage.logs[row.int(.row)] = log(row, seq: UInt64(bitPattern: row.int(.seq)))
        }
        try self.readIndex(columns, of: "logs", orderedBy: place) { row, salvage in
            if salvage.logs[row.int(.row)] == nil { salvage.logs[row.int(.row)] = log(row, seq: 0) }
        }
    }

    private mutating func readSmallRows() throws(SQLiteError) {
        try self.read("starts", of: "state") { row, salvage in salvage.starts = row.int(.starts) }
        try self.read("proof", of: "forks") { row, salvage in
            if let proof = try? StoreFile.forkProof(row.bytes(.proof)), proof.isValid {
                salvage.proofs.append(proof)
            }
        }
        try self.read("addresses, seen, keys", of: "peers") { row, salvage in
            guard let key = salvage.authors[row.int(.row)],
                let addresses = try? StoreFile.addresses(row.bytes(.addresses))
            else { return }
            salvage.peers.append(
                KnownPeer(
                    id: PeerID(key), addresses: addresses, lastSeen: UInt64(stored: row.int(.seen)),
                    person: row.optionalBytes(.keys).flatMap { PublicPerson(decoding: $0) }))
        }
        try self.read("author, standing", of: "people") { row, salvage in
            if let key = salvage.authors[row.int(.row)] {
                salvage.people[PeerID(key)] = Standing(row)
            }
        }
        try self.readKeyed(
            DirectRequest.columns, of: "requests", orderedBy: ["person"]
        ) { row, salvage in
            if let request = DirectRequest(row), !salvage.requests.contains(request) {
                salvage.requests.append(request)
            }
        }
        try self.readKeyed("record", of: "records", orderedBy: ["author", "conversation", "kind"]) {
            row, salvage in
            if let record = try? Record(decoding: row.bytes(.record)), record.isValid,
                !salvage.records.contains(record)
            {
                salvage.records.append(record)
            }
        }
        try self.readKeyed(
            "name, conversation, cursor", of: "consumers", orderedBy: ["name", "conversation"]
        ) { row, salvage in
            salvage.consumers.append(
                Consumer(
                    name: row.text(.name), conversation: row.int(.conversation),
                    cursor: row.int(.cursor)))
        }
    }

    /// What is kept of groups: acts with all that they follow, since one that lacks some can be judged by nobody.
    private mutating func readGroups() throws(SQLiteError) {
        // A file of version 1 has none of these tables.
        if (try? self.source.int("PRAGMA user_version")) == 1 { return }
        func group(_ row: Statement, _ salvage: Salvage) -> ConversationID? {
            salvage.conversations[row.int(.conversation)].map { ConversationID($0.hash) }
        }
        var taken: [ConversationID: Set<ActID>] = [:]
        try self.read("conversation, act", of: "acts") { row, salvage in
            guard let group = group(row, salvage), let act = Act(row, in: group), act.isValid(),
                taken[group, default: []].isSuperset(of: act.statement.basis)
            else { return }
            taken[group, default: []].insert(act.id)
            salvage.groups.acts.append(act)
            let place = row.int(.conversation)
            // Where the row of the group is lost, its founding says the same.
            if let founded = act.statement.kind.founded,
                salvage.conversations[place]?.membership == nil
            {
                salvage.conversations[place]?.membership = ConversationMembership(
                    .group(founded), isJoined: true)
            }
        }
        try self.readKeyed(
            "conversation, id, key, maker, device, basis, people, "
                + ((try? Schema.placed(in: self.source)) ?? "placed"), of: "epochs",
            orderedBy: ["conversation", "id"]
        ) { row, salvage in
            guard let group = group(row, salvage), let held = HeldEpoch(row, of: group),
                held.isSound
            else { return }
            salvage.groups.epochs.append(held)
        }
        try self.readKeyed(
            "hash, device, id, acts, milliseconds, source", of: "asked", orderedBy: ["hash"]
        ) { row, salvage in
            if let request = GroupRequest(row) { salvage.groups.requests.append(request) }
        }
    }

    /// Reads a table without row numbers.
    private mutating func readKeyed(
        _ columns: String, of table: String, orderedBy order: [String],
        _ body: (Statement, inout Salvage) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        var rows = DamagedTable(table, in: self.source)
        try rows.readFromBothEnds("SELECT \(columns) FROM \(table)", orderedBy: order) {
            (row) throws(SQLiteError) in try body(row, &self)
        }
        if rows.gaps > 0 { self.damagedTables.append(table) }
    }

    private mutating func readEntries() throws(SQLiteError) {
        let insert = try self.staging.prepare(
            """
            INSERT INTO entries VALUES (:arrival, :log, :seq, :hlc, :class, :flags, :attestation,
                :extra, :payload)
            """)
        let integers: [Name] = [.log, .seq, .hlc, .class, .flags]
        let blobs: [Name] = [.attestation, .extra, .payload]
        try self.read("log, seq, hlc, class, flags, attestation, extra, payload", of: "entries") {
            (row, salvage) throws(SQLiteError) in
            // Everything is read before anything is written: the payload may be what fails.
            let found = blobs.map { row.optionalBytes($0) }
            guard found.last != .some(nil) || row.isNull(.payload) else { return }
            try insert.bind(.arrival, row.int(.row))
            for name in integers { try insert.bind(name, row.int(name)) }
            for (name, blob) in zip(blobs, found) { try insert.bind(name, blob) }
            try insert.run()
            salvage.entryCount += 1
        }
        let insertSend = try self.staging.prepare(
            "INSERT INTO sends VALUES (:number, :key, :log, :seq, :milliseconds)")
        try self.read("key, log, seq, milliseconds", of: "sends") {
            (row, _) throws(SQLiteError) in
            try insertSend.bind(.number, row.int(.row)).bind(.key, text: row.text(.key))
                .bind(.log, row.int(.log)).bind(.seq, row.int(.seq))
                .bind(.milliseconds, row.int(.milliseconds)).run()
        }
    }

    /// Finds the rooms whose rows are lost again: whoever joined a room wrote its name.
    private mutating func findRooms(
        of owner: PeerID, by judge: any EntryJudge
    ) throws(SQLiteError) {
        let found = try self.staging.prepare(
            """
            SELECT log, class, payload FROM entries
            WHERE flags & \(EntryFlags.attendance.rawValue) ORDER BY hlc
            """)
        var rooms: [Int64: ConversationMembership] = [:]
        // An entry does not say its room's realm, but the id tells which of those that are known.
        let known = self.conversations.values.compactMap { $0.membership?.room?.realm }
        let realms = Set(known + [RealmID.open]).sorted()
        try found.forEach { (row) throws(SQLiteError) in
            guard let key = self.key(row.int(.log)), key.name.author == owner,
                let place = self.logs[row.int(.log)]?.conversation,
                let entryClass = UInt8(exactly: row.int(.class))
            else { return }
            // Only joins of open rooms have a name, and there nothing is sealed.
            let reading = judge.read(
                Envelope(
                    plain: row.bytes(.payload), entryClass: entryClass, in: key.conversation))
            if let name = reading.joinedRoom {
                let candidates = realms.map { Room(name, in: $0) }
                let room = candidates.first { $0.conversation == key.conversation }
                rooms[place] = room.map { ConversationMembership(.room($0), isJoined: true) }
            } else if reading.content?.traits.attendance == false {
                rooms[place]?.isJoined = false
            }
        }
        for (place, membership) in rooms where self.conversations[place]?.membership == nil {
            self.conversations[place]?.membership = membership
        }
    }
}
