internal import Engine
internal import Crypto

/// Payloads that come after their entries, and those that go.
extension StoreFile {
    /// Puts a payload where it is wanted, and gives the entry where people see it by that.
    ///
    /// Such an entry gets a new arrival number, so that whoever reads on from a cursor does not miss
    /// it.
    func fill(
        _ fill: PayloadFill, _ progress: inout Progress
    ) throws(SQLiteError) -> StoredEntry? {
        guard let log = try self.logRow(fill.key),
            var row = try self.entryRow(log: log.id, seq: fill.seq), row.flags.contains(.wanted)
        else { return nil }
        row.flags.subtract(.judged.union(.absent))
        row.flags.formUnion(EntryFlags(fill.verdict))
        try self.setPayload(
            .present(fill.payload), kind: fill.verdict.kind, flags: row.flags, of: row)
        guard row.isSeen else { return nil }
        let target = progress.arrive()
        try self.move(row.arrival, to: target)
        // The number may be among those that are not indexed yet.
        self.recentIDs = nil
        row.arrival = target
        var tally = Tally(isOwn: try self.authorRow(self.owner) == row.author)
        tally.count(row)
        try self.note(tally, in: row.conversation)
        return try self.statements.reading.stored.bind(.arrival, target)
            .first { (row) throws(SQLiteError) in try self.storedEntry(row) }
    }

    // MARK: Erasing

    /// Does what is decided of erasures; gives those that need not wait any longer.
    func write(_ erasures: [Erasure]) throws(SQLiteError) -> [Erasure] {
        var done: [Erasure] = []
        for erasure in erasures {
            if try self.isDone(erasure) {
                try self.bind(self.statements.entries.removeErasure, erasure).run()
                done.append(erasure)
            } else {
                try self.bind(self.statements.entries.addErasure, erasure)
                    .bind(.person, erasure.eraser.person?.hash.bytes).run()
            }
        }
        return done
    }

    private func bind(
        _ statement: Statement, _ erasure: Erasure
    ) throws(SQLiteError) -> Statement {
        try statement.bind(.conversation, self.makeConversationRow(erasure.conversation))
            .bind(.author, self.makeAuthorRow(erasure.target.log.author))
            .bind(.incarnation, erasure.target.log.incarnation.stored)
            .bind(.seq, Int64(bitPattern: erasure.target.seq))
            .bind(.head, erasure.target.id.hash)
            .bind(.owner, self.makeAuthorRow(erasure.eraser.device))
    }

    /// Erases a payload where its entry is here; false where that has to wait.
    private func isDone(_ erasure: Erasure) throws(SQLiteError) -> Bool {
        if erasure.step == .forget { return true }
        guard erasure.step == .erase, let log = try self.logRow(erasure.key),
            let row = try self.entryRow(log: log.id, seq: erasure.target.seq)
        else { return false }
        guard row.id == erasure.target.id, !row.flags.contains(.erased) else { return true }
        let header = self.statements.entries.header
        let found = try header.bind(.arrival, row.arrival).first { (header) throws(SQLiteError) in
            try Entry(
                entryClass: header.int(.class), time: row.time,
                extra: header.optionalBytes(.extra), payload: header.optionalBytes(.payload))
        }
        guard let entry = found else { throw .damaged("an entry of a log is missing") }
        // Who may what is known for good.
        guard entry.entryClass != EntryClass.control.rawValue else { return true }
        if row.isSeen && row.flags.contains(.counted),
            try self.authorRow(self.owner) != row.author
        {
            try self.statements.entries.countRead.bind(.id, row.conversation)
                .bind(.arrival, row.arrival).run()
        }
        var flags = row.flags
        flags.subtract(.judged.union(.absent))
        try self.setPayload(
            entry.payload.omitted, kind: nil, flags: flags.union([.hidden, .erased]), of: row)
        return true
    }

    /// Forgets who wanted an entry erased that came without its payload for that.
    func forgetErasures(of row: EntryRow) throws(SQLiteError) {
        try self.statements.entries.removeErasures.bind(.conversation, row.conversation)
            .bind(.author, row.author).bind(.incarnation, row.incarnation).bind(.seq, row.seq)
            .bind(.head, row.id.hash).run()
    }

    /// The erasures that wait for their entries.
    func erasures() throws(SQLiteError) -> [Erasure] {
        var erasures: [Erasure] = []
        try self.statements.entries.erasures.forEach { (row) throws(SQLiteError) in
            let name = LogName(
                author: PeerID(try row.bytes32(.key)),
                incarnation: UInt64(stored: row.int(.incarnation)))
            erasures.append(
                Erasure(
                    conversation: ConversationID(try row.bytes32(.hash)),
                    target: EraseTarget(
                        log: name, seq: UInt64(bitPattern: row.int(.seq)),
                        id: EntryID(try row.bytes32(.head))),
                    eraser: Authorship(
                        device: PeerID(try row.bytes32(.owner)),
                        person: row.isNull(.person) ? nil : PersonID(try row.bytes32(.person))),
                    step: .wait))
        }
        return erasures
    }

    private func setPayload(
        _ payload: Payload, kind: UInt64?, flags: EntryFlags, of row: EntryRow
    ) throws(SQLiteError) {
        let header = self.statements.entries.header
        let found = try header.bind(.arrival, row.arrival).first { (header) throws(SQLiteError) in
            try Entry(
                entryClass: header.int(.class), time: row.time,
                extra: header.optionalBytes(.extra), payload: header.optionalBytes(.payload))
        }
        guard var entry = found else { throw .damaged("an entry of a log is missing") }
        entry.payload = payload
        let statement = self.statements.entries.setPayload
        try statement.bind(.flags, flags.rawValue)
            .bind(.kind, kind.map { Int64(bitPattern: $0) }).bind(.extra, entry.extra)
            .bind(.arrival, row.arrival)
        if case .present(let bytes) = payload {
            try statement.bind(.payload, bytes)
        } else {
            try statement.bind(.payload, nil as Int64?)
        }
        try statement.run()
    }
}
