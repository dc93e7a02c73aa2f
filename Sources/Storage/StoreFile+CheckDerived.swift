internal import Engine
internal import Formats
internal import Crypto

/// The check of all rows that are not entries: against the entries, or against what they hold.
extension StoreFile {
    typealias DerivedCheck = (inout Findings, Derived) throws(SQLiteError) -> Void

    var derivedChecks: [DerivedCheck] {
        [
            self.checkConversations, self.checkPlaces, self.checkMembers, self.checkRecords,
            self.checkSends, self.checkCursors, self.checkPeersAndState,
            self.checkIDs, self.checkReferences, self.checkAttachments, self.checkGroups,
        ]
    }

    private func checkConversations(
        _ findings: inout Findings, _ derived: Derived
    ) throws(SQLiteError) {
        let newest = try self.newestCursor().rawValue
        var rows: [(id: Int64, hash: Bytes32, unread: Int64, mentions: Int64, read: Int64)] = []
        let statement = try self.database.prepare(
            """
            SELECT id, hash, unread, mentions, read, kind, realm, name, suite, root, peer, joined, shown,
                latest
            FROM conversations
            """)
        try statement.forEach { (row) throws(SQLiteError) in
            let hash = try row.bytes32(.hash)
            rows.append(
                (row.int(.id), hash, row.int(.unread), row.int(.mentions), row.int(.read)))
            if !row.isNull(.kind) {
                let kind = ConversationKind(row, ConversationID(hash))
                if kind == nil || !(0...1).contains(row.int(.joined)) {
                    findings.add(nil, nil, "conversation \(hash): it is not what its row says")
                }
            }
            let shown = row.optionalInt(.shown).map { HybridTime(stored: $0) }
            let expected = derived.shown[row.int(.id)]
            if shown != expected {
                findings.add(
                    nil, nil, "conversation \(hash): the newest time shown is recorded wrong")
            }
            if !(0...newest).contains(row.int(.read)) || !(0...newest).contains(row.int(.latest)) {
                findings.add(nil, nil, "conversation \(hash): the read position is recorded wrong")
            }
        }
        try self.checkBytes(&findings)
        for row in rows {
            let unread = try self.countUnread(row.id, after: row.read, through: newest)
            if unread.unread != row.unread || unread.mentions != row.mentions {
                findings.add(
                    nil, nil,
                    "conversation \(row.hash) counts \(row.unread) unread, \(row.mentions) of them "
                        + "mentions, has \(unread.unread) and \(unread.mentions)")
            }
        }
    }

    /// Control entries were counted once for what a conversation takes, and are not any longer.
    private func checkBytes(_ findings: inout Findings) throws(SQLiteError) {
        let wrong = try self.database.int(
            """
            SELECT count(*) FROM conversations c LEFT JOIN (
                SELECT conversation, sum(length(payload)) AS bytes,
                    sum(CASE WHEN class = \(EntryClass.control.rawValue) THEN 0
                        ELSE length(payload) END) AS texts
                FROM entries GROUP BY conversation) e ON e.conversation = c.id
            WHERE c.bytes NOT BETWEEN coalesce(e.texts, 0) AND coalesce(e.bytes, 0)
            """)
        if wrong > 0 {
            findings.add(
                nil, nil, "the payload sizes of \(wrong) conversations are recorded wrong")
        }
        // Empty extra fields that are spelt out are none.
        let wrongLogs = try self.database.int(
            """
            SELECT count(*) FROM logs l LEFT JOIN (
                SELECT log, sum(\(Entry.overheadBytes) + ifnull(length(nullif(extra, x'0000')), 0)
                    + ifnull(length(payload), 0)) AS bytes FROM entries
                GROUP BY log) e ON e.log = l.id LEFT JOIN forks f ON f.log = l.id
            WHERE l.bytes <> coalesce(e.bytes, 0) + coalesce(length(f.proof), 0)
            """)
        if wrongLogs > 0 {
            findings.add(
                nil, nil, "the sizes of \(wrongLogs) logs are recorded wrong")
        }
    }

    /// What entries say of messages; each entry is held against it when it is walked over.
    private func checkReferences(
        _ findings: inout Findings, _ derived: Derived
    ) throws(SQLiteError) {
        let strays = try self.database.int(
            """
            SELECT (SELECT count(*) FROM refs r
                    LEFT JOIN entries e ON e.log = r.log AND e.seq = r.seq
                    WHERE e.arrival IS NULL OR e.flags & \(EntryFlags.aside.rawValue) = 0)
                + (SELECT count(*) FROM erasures r
                    LEFT JOIN entries e ON e.log = r.log AND e.seq = r.seq WHERE e.arrival IS NULL)
            """)
        if strays > 0 {
            findings.add(
                nil, nil, "\(strays) entries are wrongly recorded as referring to messages")
        }
    }

    /// Which entries tell of files; of which, each entry is held against when it is walked over.
    private func checkAttachments(
        _ findings: inout Findings, _ derived: Derived
    ) throws(SQLiteError) {
        let flag = EntryFlags.file.rawValue
        let strays = try self.database.int(
            """
            SELECT (SELECT count(*) FROM attachments a
                    LEFT JOIN entries e ON e.log = a.log AND e.seq = a.seq
                    WHERE e.arrival IS NULL OR e.conversation <> a.conversation
                        OR e.flags & \(flag) = 0)
                + (SELECT count(*) FROM entries e
                    LEFT JOIN attachments a ON a.log = e.log AND a.seq = e.seq
                    WHERE e.flags & \(flag) <> 0 AND a.blob IS NULL)
            """)
        if strays > 0 { findings.add(nil, nil, "\(strays) files are recorded wrong") }
    }

    /// Whether what is noted of an entry's references, of references to it, and of what it wants erased,
    /// is so.
    func areReferencesRight(
        _ row: Statement, _ id: EntryID, _ verdict: EntryVerdict, at key: LogKey, _ log: LogRow
    ) throws(SQLiteError) -> Bool {
        let statements = self.statements.references
        let author = key.name.author
        if let reference = verdict.refersTo {
            let named = NamedEntry(reference.target, in: key.conversation)
            let writer =
                reference.kind == .edit
                ? Writer.row(of: author, log.person, about: reference.target) : Writer.sameDevice
            let isRight = try statements.noted.bind(.log, log.id).bind(.seq, row.int(.seq)).first {
                (noted) throws(SQLiteError) in
                noted.int(.place) == named.place && noted.int(.target) == named.target
                    && noted.int(.prefix) == named.prefix && noted.int(.person) == writer
                    && noted.int(.kind) == reference.kind.rawValue
                    && noted.int(.hlc) == row.int(.hlc) && noted.int(.id) == id.prefix
            }
            guard isRight == true else { return false }
        }
        var noted: Set<[Int64]> = []
        try statements.erasures.bind(.log, log.id).bind(.seq, row.int(.seq)).forEach {
            (row) throws(SQLiteError) in
            noted.insert([row.int(.place), row.int(.target), row.int(.prefix), row.int(.person)])
        }
        let expected = verdict.erases.map { target in
            let named = NamedEntry(target, in: key.conversation)
            let writer = Writer.row(of: author, log.person, about: target)
            return [named.place, named.target, named.prefix, writer]
        }
        guard noted == Set(expected) else { return false }
        let isNamed = try self.isReferenced(NamedEntry(key.digest, seq: row.int(.seq), id))
        return !isNamed || EntryFlags(rawValue: row.int(.flags)).contains(.referenced)
    }

    private func checkPlaces(_ findings: inout Findings, _ derived: Derived) throws(SQLiteError) {
        let strays = try self.database.int(
            "SELECT count(*) FROM entries WHERE log NOT IN (SELECT id FROM logs)")
        if strays > 0 { findings.add(nil, nil, "\(strays) entries are of no log") }
        let proofs = try self.database.int(
            "SELECT count(*) FROM forks f JOIN logs l ON l.id = f.log WHERE l.fork IS NULL")
        if proofs > 0 { findings.add(nil, nil, "\(proofs) fork proofs are of logs that go on") }
    }

    private func checkMembers(_ findings: inout Findings, _ derived: Derived) throws(SQLiteError) {
        var missing = derived.members
        let statement = try self.database.prepare(
            "SELECT conversation, author, present, hlc, incarnation, seq FROM members")
        try statement.forEach { (row) throws(SQLiteError) in
            let membership = Membership(
                conversation: row.int(.conversation), author: row.int(.author))
            if missing.removeValue(forKey: membership) != Attendance(row) {
                findings.add(
                    nil, nil,
                    "member \(membership.author) of conversation \(membership.conversation) "
                        + "is not as its log says")
            }
        }
        if !missing.isEmpty { findings.add(nil, nil, "\(missing.count) members are missing") }
    }

    private func checkRecords(_ findings: inout Findings, _ derived: Derived) throws(SQLiteError) {
        let statement = try self.database.prepare(
            """
            SELECT r.record, a.key, c.hash, r.kind FROM records r
            LEFT JOIN authors a ON a.id = r.author
            LEFT JOIN conversations c ON c.id = r.conversation
            """)
        try statement.forEach { (row) throws(SQLiteError) in
            let record: Record
            do throws(SQLiteError) {
                record = try Self.record(row.bytes(.record))
            } catch { return findings.add(nil, nil, error.message) }
            if !record.isValid {
                findings.add(nil, nil, "the record of \(record.author.key) is not its author's")
            }
            let conversation = row.isNull(.hash) ? nil : try row.bytes32(.hash)
            if try record.author.key != row.bytes32(.key)
                || record.conversation?.hash != conversation
                || Int64(record.kind) != row.int(.kind)
            {
                findings.add(nil, nil, "the record of \(record.author.key) is misplaced")
            }
        }
    }

    private func checkSends(_ findings: inout Findings, _ derived: Derived) throws(SQLiteError) {
        let statement = try self.database.prepare(
            """
            SELECT s.number, s.key, s.milliseconds, e.hlc, s.seq > l.seq AS missing FROM sends s
            LEFT JOIN logs l ON l.id = s.log
            LEFT JOIN entries e ON e.log = s.log AND e.seq = s.seq
            """)
        try statement.forEach { (row) throws(SQLiteError) in
            let time = row.optionalInt(.hlc).map { HybridTime(stored: $0) }
            // A repair cuts a log back, and keeps the keys of what peers will bring.
            let isToCome = row.isNull(.hlc) && row.int(.missing) == 1
            if !isToCome && time.map({ Int64($0.milliseconds) }) != row.int(.milliseconds)
                || row.text(.key).isEmpty
            {
                findings.add(
                    nil, nil, "idempotency key \(row.int(.number)) is not that of an entry")
            }
        }
    }

    private func checkCursors(_ findings: inout Findings, _ derived: Derived) throws(SQLiteError) {
        let newest = try self.newestCursor().rawValue
        try self.database.prepare("SELECT name, cursor FROM consumers").forEach {
            (row) throws(SQLiteError) in
            if !(0...newest).contains(row.int(.cursor)) || row.text(.name).isEmpty {
                findings.add(
                    nil, nil,
                    "the consumer \"\(row.text(.name))\" is at \(row.int(.cursor)), behind "
                        + "\(newest)")
            }
        }
    }

    private func checkPeersAndState(
        _ findings: inout Findings, _ derived: Derived
    ) throws(SQLiteError) {
        var snapshot = Snapshot()
        try self.readPeers(into: &snapshot)
        try self.database.prepare("SELECT key FROM authors").forEach { (row) throws(SQLiteError) in
            _ = try row.bytes32(.key)
        }
        let state = try self.database.prepare("SELECT owner, token FROM state").first {
            (row) throws(SQLiteError) in (try row.bytes32(.owner), try row.bytes32(.token))
        }
        if state == nil { findings.add(nil, nil, "the store's owner is not recorded") }
    }
}
