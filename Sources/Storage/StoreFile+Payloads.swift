internal import Engine
internal import Formats
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
            .present(fill.payload), kind: fill.verdict.kind, flags: row.flags, of: row, &progress)
        try self.note(fill.verdict, of: row, at: fill.key, log.person, &progress)
        if fill.verdict.refersTo != nil {
            // It may be an edit of a message that is erased.
            guard let left = try self.entryRow(arrival: row.arrival), left.flags == row.flags else {
                return nil
            }
        }
        guard row.isSeen else { return nil }
        let target = progress.arrive()
        try self.move(row.arrival, to: target)
        try self.noteUnread(row.log, from: row.seq)
        // The number may be among those that are not indexed yet.
        self.recentIDs = nil
        row.arrival = target
        var tally = Tally(isUncounted: try self.isUncounted(row.author))
        tally.count(row)
        try self.note(tally, in: row.conversation)
        return try self.statements.reading.stored.bind(.arrival, target)
            .first { (row) throws(SQLiteError) in try self.shownEntry(row) }
    }

    // MARK: Giving up

    /// Takes the payload of an entry off the disk.
    func forget(
        _ row: EntryRow, as state: EntryFlags, _ progress: inout Progress
    ) throws(SQLiteError) {
        try self.forget(try self.entry(of: row).payload, of: row, as: state, &progress)
    }

    /// Takes a payload off the disk, and what was counted of it.
    private func forget(
        _ payload: Payload, of row: EntryRow, as state: EntryFlags, _ progress: inout Progress
    ) throws(SQLiteError) {
        try self.discount(row, &progress)
        var flags = row.flags
        flags.subtract(.judged.union(.absent))
        try self.setPayload(
            payload.omitted, kind: nil, flags: flags.union([.hidden, state]), of: row, &progress)
    }

    /// Takes back what was counted and noted of an entry that says nothing any more.
    func discount(_ row: EntryRow, _ progress: inout Progress) throws(SQLiteError) {
        if row.isUnread, try self.authorRow(self.owner) != row.author {
            try self.statements.entries.countRead.bind(.id, row.conversation)
                .bind(.arrival, row.arrival)
                .bind(.mentions, row.flags.contains(.mention) ? 1 : 0).run()
        }
        if row.flags.contains(.aside) { try self.removeReference(row) }
        if row.flags.contains(.file) { try self.detach(row, &progress) }
    }

    // MARK: Expiring

    /// Gives up payloads of entries that are beyond a bound, a bounded part at once.
    func expire(
        _ expiry: Expiry, _ progress: inout Progress
    ) throws(SQLiteError) -> ExpiryOutcome {
        var outcome = ExpiryOutcome(entries: [], next: nil)
        guard let conversation = try self.conversationRow(expiry.conversation) else {
            return outcome
        }
        var walk = ExpiryWalk(expiry)
        if case .above(let bytes) = expiry.bound {
            let taken = try self.statements.values.bytes.bind(.id, conversation).int() ?? 0
            walk.excess = taken - Int64(clamping: bytes)
        }
        guard walk.excess > 0 else { return outcome }
        if case .streams(let bound) = expiry.bound {
            try self.look(&walk, in: conversation, bound, through: expiry.readThrough)
        } else {
            try self.look(&walk, in: conversation, rowLimit: Limits.expiryRowsPerBatch)
        }
        for (row, author) in walk.aged {
            try self.forget(row, as: .expired, &progress)
            let name = LogName(author: author, incarnation: UInt64(stored: row.incarnation))
            outcome.entries.append(
                EntryPlace(
                    key: LogKey(conversation: expiry.conversation, name: name),
                    seq: UInt64(bitPattern: row.seq)))
        }
        outcome.next = walk.next
        if case .streams = expiry.bound, walk.next == nil {
            outcome.isStreamLeft =
                try self.statements.streams.isLeft.bind(.conversation, conversation).int() != nil
        }
        return outcome
    }

    /// Finds what is to go, from where a walk has come to.
    private func look(
        _ walk: inout ExpiryWalk, in conversation: Int64, rowLimit: Int
    ) throws(SQLiteError) {
        try self.statements.entries.aged.bind(.conversation, conversation)
            .bind(.through, walk.before.stored).bind(.hlc, walk.position.time.stored)
            .bind(.arrival, walk.position.number).bind(.limit, Int64(rowLimit))
            .forEach { (row) throws(SQLiteError) in
                guard !walk.isOver else { return }
                let found = try self.entryRow(row)
                walk.look(at: found)
                // What is held is not shown yet; what is gone already stays as it is.
                guard found.arrival > 0, row.int(.class) != Int64(EntryClass.control.rawValue),
                    found.flags.isDisjoint(with: [.erased, .expired])
                else { return }
                walk.take(
                    found, by: PeerID(try row.bytes32(.key)), row.optionalInt(.count) ?? 0)
            }
        walk.end(rowLimit: rowLimit)
    }

    /// Finds what streams have brought that is to go; nothing that a durable consumer has not acknowledged.
    private func look(
        _ walk: inout ExpiryWalk, in conversation: Int64, _ bound: StreamBound, through: Cursor?
    ) throws(SQLiteError) {
        let rowLimit = Limits.expiryRowsPerBatch
        try self.statements.streams.aged.bind(.conversation, conversation)
            .bind(.through, walk.before.stored).bind(.hlc, walk.position.time.stored)
            .bind(.arrival, walk.position.number).bind(.until, through?.rawValue ?? .max)
            .bind(.limit, Int64(rowLimit))
            .forEach { (row) throws(SQLiteError) in
                guard !walk.isOver else { return }
                let found = try self.entryRow(row)
                walk.look(at: found)
                let author = PeerID(try row.bytes32(.key))
                let name = LogName(author: author, incarnation: UInt64(stored: found.incarnation))
                guard bound.covers(UInt64(bitPattern: found.seq), of: name, at: found.time) else {
                    return
                }
                walk.take(found, by: author, row.optionalInt(.count) ?? 0)
            }
        walk.end(rowLimit: rowLimit)
    }

    /// What would go by bounds, which is done without taking anything off the disk: how many messages, and their
    /// bytes.
    ///
    /// - Parameters:
    ///   - before: those that are older.
    ///   - size: what of the rest is more than is kept; nil for nothing.
    func expiring(
        in id: ConversationID, before: HybridTime?, _ size: Expiry?
    ) throws(SQLiteError) -> (messages: Int, bytes: Int64) {
        var found: (messages: Int, bytes: Int64) = (0, 0)
        guard let conversation = try self.conversationRow(id) else { return found }
        var gone: Set<Int64> = []
        func count(_ walk: ExpiryWalk) {
            for (row, _) in walk.aged where gone.insert(row.arrival).inserted && row.isSeen {
                found.messages += 1
            }
            found.bytes += walk.bytes
        }
        if let before {
            var walk = ExpiryWalk(Expiry(conversation: id, .before(before)), isBounded: false)
            try self.look(&walk, in: conversation, rowLimit: .max)
            count(walk)
        }
        guard let size, case .above(let bytes) = size.bound else { return found }
        let taken = try self.statements.values.bytes.bind(.id, conversation).int() ?? 0
        var excess = taken - Int64(clamping: bytes) - found.bytes
        var next: ExpiryPosition? = ExpiryPosition(of: 0)
        while let position = next, excess > 0 {
            var expiry = size
            expiry.after = position
            var walk = ExpiryWalk(expiry, isBounded: false)
            (walk.excess, walk.gone) = (excess, gone)
            try self.look(&walk, in: conversation, rowLimit: .max)
            count(walk)
            excess -= walk.bytes
            next = walk.next
        }
        return found
    }

    /// The entry of a row, which must be there.
    func entry(of row: EntryRow) throws(SQLiteError) -> Entry {
        let header = self.statements.entries.header
        let found = try header.bind(.arrival, row.arrival).first { (header) throws(SQLiteError) in
            try Entry(
                entryClass: header.int(.class), time: row.time,
                extra: header.optionalBytes(.extra), payload: header.optionalBytes(.payload))
        }
        guard let entry = found else { throw .damaged("an entry of a log is missing") }
        return entry
    }

    private func setPayload(
        _ payload: Payload, kind: UInt64?, flags: EntryFlags, of row: EntryRow,
        _ progress: inout Progress
    ) throws(SQLiteError) {
        var entry = try self.entry(of: row)
        let before = entry.storedBytes(with: entry.extra)
        if entry.entryClass != EntryClass.control.rawValue {
            try self.addBytes(
                payload.storedBytes - entry.payload.storedBytes, in: row.conversation)
        }
        entry.payload = payload
        let extra = entry.extra
        try self.statements.names.addLogBytes.bind(.id, row.log)
            .bind(.bytes, entry.storedBytes(with: extra) - before).run()
        self.knownLogs = KnownRows()
        progress.resized.insert(row.log)
        let statement = self.statements.entries.setPayload
        try statement.bind(.flags, flags.rawValue)
            .bind(.kind, kind.map { Int64(bitPattern: $0) }).bind(.extra, extra)
            .bind(.arrival, row.arrival)
        if case .present(let bytes) = payload {
            try statement.bind(.payload, bytes)
        } else {
            try statement.bind(.payload, nil as Int64?)
        }
        try statement.run()
    }
}

extension Payload {
    var storedBytes: Int64 {
        if case .present(let bytes) = self { Int64(bytes.count) } else { 0 }
    }
}

extension Entry {
    /// What an entry takes in the store beside its payload and its extra fields, about: its columns, and
    /// its rows in the indexes.
    static let overheadBytes = Int64(Limits.entryOverheadBytes)

    /// What it takes in the store, about, with its extra fields as they stand there.
    func storedBytes(with extra: [UInt8]?) -> Int64 {
        Self.overheadBytes + Int64(extra?.count ?? 0) + self.payload.storedBytes
    }
}
