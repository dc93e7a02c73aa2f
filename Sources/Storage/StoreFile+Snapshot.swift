internal import Engine
internal import Formats
internal import Crypto

extension StoreFile {
    /// What the user's devices have told each other in the notes; of each at least what counts, but not all that a
    /// stolen one may have written.
    func ownEntries(in notes: ConversationID) throws(SQLiteError) -> [StoredEntry] {
        var places: [Int64] = []
        try self.database.prepare(
            """
            SELECT e.arrival FROM conversations c JOIN entries e
                ON e.conversation = c.id AND e.kind = \(EntryKind.own.rawValue)
            WHERE c.hash = :hash ORDER BY e.arrival
            """
        ).bind(.hash, notes.hash).forEach { (row) throws(SQLiteError) in
            places.append(row.int(.arrival))
        }
        var entries: [StoredEntry] = []
        var bytes: [PeerID: Int] = [:]
        for place in places {
            guard let entry = try self.stored(at: place, self.storedEntry) else { continue }
            // A payload is padded to less than four times what it says.
            let filled = bytes[entry.key.name.author, default: 0]
            guard filled <= 4 * Limits.ownDeviceBytes else { continue }
            bytes[entry.key.name.author] = filled + (entry.envelope.payload?.count ?? 0)
            entries.append(entry)
        }
        return entries
    }

    /// What a node needs to go on; reads as many rows as there are logs, members and peers.
    func snapshot() throws(SQLiteError) -> Snapshot {
        var snapshot = Snapshot()
        snapshot.isAfterLoss = self.isAfterLoss
        let state = try self.database.prepare("SELECT incarnation FROM state")
        snapshot.incarnation = try state.int().map { UInt64(stored: $0) }
        let conversations = try self.database.prepare(
            """
            SELECT hash, kind, realm, name, suite, root, peer, joined, shown, arranged, days, size
            FROM conversations
            """)
        try conversations.forEach { (row) throws(SQLiteError) in
            let conversation = ConversationID(try row.bytes32(.hash))
            if !row.isNull(.kind) {
                guard let kind = ConversationKind(row, conversation) else {
                    throw .damaged("what a conversation is")
                }
                snapshot.conversations[conversation] = ConversationMembership(
                    kind, isJoined: row.int(.joined) != 0)
            }
            if let shown = row.optionalInt(.shown) {
                snapshot.latestShown[conversation] = HybridTime(stored: shown)
            }
            let kept = Retention(
                days: row.optionalInt(.days).map { UInt32(clamping: $0) },
                bytes: row.optionalInt(.size).map { UInt64(clamping: $0) })
            if !kept.isUnbounded { snapshot.retentions[conversation] = kept }
            let arranged = UInt8(truncatingIfNeeded: row.int(.arranged))
            if arranged != 0 {
                snapshot.arrangements[conversation] = Arrangement(rawValue: arranged)
            }
        }
        try self.readLogs(into: &snapshot)
        try self.readWanted(into: &snapshot)
        try self.readHeld(into: &snapshot)
        let members = try self.database.prepare(
            """
            SELECT c.hash, a.key, m.present, m.hlc, m.incarnation, m.seq FROM members m
            JOIN conversations c ON c.id = m.conversation JOIN authors a ON a.id = m.author
            """)
        try members.forEach { (row) throws(SQLiteError) in
            let conversation = ConversationID(try row.bytes32(.hash))
            let author = PeerID(try row.bytes32(.key))
            snapshot.attendance[conversation, default: [:]][author] = Attendance(row)
        }
        let records = try self.database.prepare(
            "SELECT record FROM records ORDER BY author, conversation, kind")
        try records.forEach { (row) throws(SQLiteError) in
            snapshot.records.append(try Self.record(row.bytes(.record)))
        }
        try self.readGroups(into: &snapshot)
        self.readAnnouncements(into: &snapshot)
        try self.readPeers(into: &snapshot)
        try self.readPositions(into: &snapshot)
        let people = try self.database.prepare(
            "SELECT a.key, p.standing FROM people p JOIN authors a ON a.id = p.author")
        try people.forEach { (row) throws(SQLiteError) in
            let peer = PeerID(try row.bytes32(.key))
            snapshot.people[peer] = Standing(row)
        }
        try self.database.prepare(
            "SELECT hash FROM conversations c WHERE EXISTS (SELECT 1 FROM entries "
                + "WHERE conversation = c.id AND \(EntryFlags.isOfStreamSQL))"
        ).forEach { (row) throws(SQLiteError) in
            snapshot.streams.insert(ConversationID(try row.bytes32(.hash)))
        }
        snapshot.persons = try self.persons()
        snapshot.requests = try self.requests()
        snapshot.held = try self.held(self.heldCount)
        return snapshot
    }

    func readLogs(into snapshot: inout Snapshot) throws(SQLiteError) {
        let logs = try self.database.prepare(
            """
            SELECT c.hash, a.key, l.incarnation, l.seq, l.head, l.hlc, l.shown, l.fork,
                p.hash AS person, l.id, l.source, l.marks AS flags, l.bytes
            FROM logs l JOIN conversations c ON c.id = l.conversation
            JOIN authors a ON a.id = l.author LEFT JOIN persons p ON p.id = l.person
            """)
        try logs.forEach { (row) throws(SQLiteError) in
            let author = PeerID(try row.bytes32(.key))
            let key = LogKey(
                conversation: ConversationID(try row.bytes32(.hash)),
                name: LogName(author: author, incarnation: UInt64(stored: row.int(.incarnation))))
            snapshot.logs[key] = StoredLog(
                head: Head(
                    seq: UInt64(bitPattern: row.int(.seq)), id: EntryID(try row.bytes32(.head)),
                    time: HybridTime(stored: row.int(.hlc))),
                forkPoint: row.optionalInt(.fork).map { UInt64(bitPattern: $0) },
                isHeadShown: row.int(.shown) != 0,
                person: row.isNull(.person) ? nil : PersonID(try row.bytes32(.person)))
            snapshot.charges[key] = LogCharge(
                source: row.isNull(.source) ? nil : Source(description: row.text(.source)),
                number: row.int(.id),
                marks: LogMarks(rawValue: row.int(.flags)))
            snapshot.sizes.append(LogSize(key: key, bytes: row.int(.bytes)))
        }
    }

    /// Which payloads are wanted of entries that count.
    func readWanted(into snapshot: inout Snapshot) throws(SQLiteError) {
        var wanted: [Int64: SeqRanges] = [:]
        try self.statements.entries.wanted.forEach { (row) throws(SQLiteError) in
            let seq = UInt64(bitPattern: row.int(.seq))
            wanted[row.int(.log), default: SeqRanges()].insert(seq...seq)
        }
        guard !wanted.isEmpty else { return }
        for (key, log) in snapshot.logs {
            guard let row = try self.logRow(key), var seqs = wanted[row.id] else { continue }
            seqs.remove(log.head.seq + 1...UInt64(Int64.max))
            snapshot.logs[key]?.wanted = seqs
        }
    }

    /// Which entries of each log are held.
    func readHeld(into snapshot: inout Snapshot) throws(SQLiteError) {
        guard self.heldCount > 0 else { return }
        var held: [Int64: ClosedRange<UInt64>] = [:]
        try self.statements.entries.heldByLog.forEach { (row) throws(SQLiteError) in
            held[row.int(.log)] =
                UInt64(bitPattern: row.int(.first))...UInt64(bitPattern: row.int(.seq))
        }
        for key in snapshot.logs.keys {
            if let row = try self.logRow(key), let seqs = held[row.id] {
                snapshot.logs[key]?.held = seqs
            }
        }
    }

    func readPeers(into snapshot: inout Snapshot) throws(SQLiteError) {
        let peers = try self.database.prepare(
            """
            SELECT a.key, p.addresses, p.seen, p.keys FROM peers p JOIN authors a ON a.id = p.author
            ORDER BY p.seen DESC, a.key
            """)
        try peers.forEach { (row) throws(SQLiteError) in
            snapshot.peers.append(
                KnownPeer(
                    id: PeerID(try row.bytes32(.key)),
                    addresses: try Self.addresses(row.bytes(.addresses)),
                    lastSeen: UInt64(stored: row.int(.seen)),
                    person: row.optionalBytes(.keys).flatMap { PublicPerson(decoding: $0) }))
        }
    }

    /// Reads the addresses of a peer.
    static func addresses(_ bytes: [UInt8]) throws(SQLiteError) -> [String] {
        var addresses: [String] = []
        do throws(WireError) {
            var reader = WireReader(bytes)
            for _ in 0..<(try reader.count("addressCount", limit: bytes.count)) {
                addresses.append(try reader.text("address", limit: bytes.count))
            }
        } catch {
            throw .damaged("a peer's addresses do not parse: \(error)")
        }
        return addresses
    }
}
