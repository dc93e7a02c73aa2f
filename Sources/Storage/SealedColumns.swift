internal import Crypto
internal import Engine
internal import Formats

/// With what a database reads and writes the columns that are sealed.
struct ColumnSafe {
    let safe: Safe
    /// Whether a value that does not open is taken as it is: only for a salvage, which may find values from before
    /// they were sealed and believes none that its id, hash or signature does not prove.
    var takesPlain = false
}

extension Safe.Kind {
    // The names are part of the format. `Docs/Decisions/0054-one-key-opens-the-rest.md`.
    static let conversation = Safe.Kind("conversation")
    static let epoch = Safe.Kind("epoch")
    static let act = Safe.Kind("act")
    static let asked = Safe.Kind("asked")
    static let request = Safe.Kind("request")
    static let notice = Safe.Kind("notice")
}

/// Columns that are sealed are written and read here, and nowhere else.
extension Statement {
    /// Binds a value sealed for its place, or NULL.
    @discardableResult
    func bind(
        _ name: Name, sealing value: [UInt8]?, as kind: Safe.Kind, at place: [UInt8]
    ) throws(SQLiteError) -> Statement {
        guard let columns else { preconditionFailure("a file that is written has a safe") }
        guard let value else { return try self.bind(name, nil as Int64?) }
        let sealed = columns.safe.seal(value.span.bytes, as: kind, at: place.span.bytes)
        return try self.bind(name, sealed.span.bytes)
    }

    /// The value of a sealed column, or NULL; as it is in a file from before columns were sealed.
    func opened(
        _ name: Name, as kind: Safe.Kind, at place: [UInt8]
    ) throws(SQLiteError) -> [UInt8]? {
        guard let value = self.optionalBytes(name) else { return nil }
        guard let columns else { return value }
        do throws(CryptoError) {
            return try columns.safe.open(value.span.bytes, as: kind, at: place.span.bytes)
        } catch {
            // Of these nothing else shows that they are what was stored.
            let isPlain =
                switch kind {
                case .conversation: value.count <= Bytes32.byteCount
                case .request: value.count == 3 * Bytes32.byteCount
                default: true
                }
            guard columns.takesPlain, isPlain else {
                throw .damaged("a sealed value does not open")
            }
            return value
        }
    }
}

extension Int64 {
    /// A row's number as the place of what is sealed in it.
    var place: [UInt8] {
        var place: [UInt8] = []
        place.append(bigEndian: UInt64(bitPattern: self))
        return place
    }
}

// MARK: Taking over

extension Database {
    /// Seals what a file of version 2 has in the open; within the transaction that makes it one of version 3.
    func sealColumns() throws(SQLiteError) {
        try self.sealConversations()
        try self.sealGroups()
        try self.sealRequests()
        try self.sealNotices()
    }

    /// Reads all rows before any is written.
    private func rows<Row>(
        _ sql: String, _ read: (Statement) throws(SQLiteError) -> Row
    ) throws(SQLiteError) -> [Row] {
        var rows: [Row] = []
        try self.prepare(sql).forEach { (row) throws(SQLiteError) in rows.append(try read(row)) }
        return rows
    }

    private func sealConversations() throws(SQLiteError) {
        let rows = try self.rows(
            "SELECT id, hash, name, root FROM conversations WHERE kind IN (1, 2, 4)"
        ) { (row) throws(SQLiteError) in
            (
                id: row.int(.id), hash: try row.bytes32(.hash),
                value: row.bytes(.root) + Array(row.text(.name).utf8)
            )
        }
        let write = try self.prepare(
            "UPDATE conversations SET root = :root, name = NULL WHERE id = :id")
        for row in rows {
            try write.bind(.id, row.id)
                .bind(.root, sealing: row.value, as: .conversation, at: row.hash.bytes).run()
        }
    }

    private func sealGroups() throws(SQLiteError) {
        let acts = try self.rows(
            """
            SELECT a.place, c.hash, a.act FROM acts a
            JOIN conversations c ON c.id = a.conversation
            """
        ) { (row) throws(SQLiteError) in
            (place: row.int(.place), group: try row.bytes32(.hash), act: row.bytes(.act))
        }
        let writeAct = try self.prepare("UPDATE acts SET act = :act WHERE place = :place")
        for row in acts {
            try writeAct.bind(.place, row.place)
                .bind(.act, sealing: row.act, as: .act, at: row.group.bytes).run()
        }
        let epochs = try self.rows(
            """
            SELECT e.conversation, c.hash, e.id, e.key FROM epochs e
            JOIN conversations c ON c.id = e.conversation
            """
        ) { (row) throws(SQLiteError) in
            (
                conversation: row.int(.conversation), group: try row.bytes32(.hash),
                id: try row.bytes32(.id), key: row.bytes(.key)
            )
        }
        let writeEpoch = try self.prepare(
            "UPDATE epochs SET key = :key WHERE conversation = :conversation AND id = :id")
        for row in epochs {
            try writeEpoch.bind(.conversation, row.conversation).bind(.id, row.id)
                .bind(.key, sealing: row.key, as: .epoch, at: row.group.bytes + row.id.bytes).run()
        }
        let asked = try self.rows("SELECT hash, acts, source FROM asked") {
            (row) throws(SQLiteError) in
            (
                group: try row.bytes32(.hash),
                value: GroupRequest.sealed(source: row.text(.source), acts: row.bytes(.acts))
            )
        }
        let writeAsked = try self.prepare(
            "UPDATE asked SET acts = :acts, source = '' WHERE hash = :hash")
        for row in asked {
            try writeAsked.bind(.hash, row.group)
                .bind(.acts, sealing: row.value, as: .asked, at: row.group.bytes).run()
        }
    }

    private func sealRequests() throws(SQLiteError) {
        let rows = try self.rows("SELECT person, peer, text FROM requests") {
            (row) throws(SQLiteError) in
            (person: row.bytes(.person), value: row.bytes(.peer) + Array(row.text(.text).utf8))
        }
        let write = try self.prepare(
            "UPDATE requests SET peer = :peer, text = '' WHERE person = :person")
        for row in rows {
            try write.bind(.person, row.person)
                .bind(.peer, sealing: row.value, as: .request, at: row.person).run()
        }
    }

    private func sealNotices() throws(SQLiteError) {
        let rows = try self.rows("SELECT number, arrival, body FROM notices") {
            (row) throws(SQLiteError) in
            (number: row.int(.number), arrival: row.int(.arrival), body: row.bytes(.body))
        }
        let write = try self.prepare("UPDATE notices SET body = :body WHERE number = :number")
        for row in rows {
            try write.bind(.number, row.number)
                .bind(.body, sealing: row.body, as: .notice, at: row.arrival.place).run()
        }
    }
}
