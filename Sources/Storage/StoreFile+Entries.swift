internal import Engine
internal import Formats

/// A row that is being read for people: what is sealed lacks its envelope until it is known which
/// entry stands before it in its log.
struct RowReading {
    var entry: StoredEntry
    /// What the envelope is made of, and the row of its log; nil where the entry has it.
    let sealed: (entry: Entry, log: Int64)?
}

/// The newest of the entries that were read of some logs, so that it is known what the next one follows.
private struct LastRead {
    /// A page of a conversation seldom has entries of more logs than this.
    private static let limit = 16
    private var logs: [(log: Int64, seq: UInt64, id: EntryID)] = []

    /// The id of the entry before one; nil where it was not read.
    func id(before seq: UInt64, of log: Int64) -> EntryID? {
        self.logs.first { $0.log == log && $0.seq + 1 == seq }?.id
    }

    mutating func note(_ id: EntryID, at seq: UInt64, of log: Int64) {
        if let index = self.logs.firstIndex(where: { $0.log == log }) {
            (self.logs[index].seq, self.logs[index].id) = (seq, id)
        } else {
            if self.logs.count == Self.limit { self.logs.removeFirst() }
            self.logs.append((log, seq, id))
        }
    }
}

extension StoreFile {
    /// Reads what ``ReadingStatements`` gives of an entry.
    func storedEntry(_ row: Statement) throws(SQLiteError) -> StoredEntry {
        let reading = try self.readEntry(row)
        return try self.finish(reading, behind: LastRead())
    }

    /// Reads a message as people see it: with the edit that counts, and what people make of it.
    func shownEntry(_ row: Statement) throws(SQLiteError) -> StoredEntry {
        var walk = ReferenceWalk(self.statements.references, isForward: true)
        defer { walk.end() }
        let reading = try self.readShown(row, &walk)
        return try self.finish(reading, behind: LastRead())
    }

    /// The same but for what is sealed, which ``finish(_:)`` has to see.
    func readShown(
        _ row: Statement, _ walk: inout ReferenceWalk
    ) throws(SQLiteError) -> RowReading {
        var reading = try self.readEntry(row)
        // Of what stands with a message nothing stands with it.
        let flags = EntryFlags(rawValue: row.int(.flags))
        if flags.intersection([.referenced, .aside]) == .referenced {
            try self.addReferences(
                to: &reading.entry, of: row.int(.log), in: row.int(.place), &walk)
        }
        return reading
    }

    /// Reads what a ``ReferenceWalk`` gives of an entry that refers to a message.
    func referringEntry(_ row: Statement, at key: LogKey) throws(SQLiteError) -> StoredEntry {
        try self.finish(try self.readEntry(row, at: key), behind: LastRead())
    }

    /// Makes the envelopes of a page of entries, which are in the order of their times: most stand
    /// beside the one before them.
    func finish(_ readings: [RowReading]) throws(SQLiteError) -> [StoredEntry] {
        var last = LastRead()
        var entries: [StoredEntry] = []
        entries.reserveCapacity(readings.count)
        for reading in readings {
            entries.append(try self.finish(reading, behind: last))
            if let log = reading.sealed?.log {
                last.note(reading.entry.id, at: reading.entry.seq, of: log)
            }
        }
        return entries
    }

    private func finish(
        _ reading: RowReading, behind last: LastRead
    ) throws(SQLiteError) -> StoredEntry {
        guard let (sealed, log) = reading.sealed else { return reading.entry }
        var entry = reading.entry
        var prev: EntryID?
        if entry.seq > 1 {
            prev = last.id(before: entry.seq, of: log)
            if prev == nil { prev = try self.entryID(log: log, seq: entry.seq - 1) }
            guard prev != nil else { throw .damaged("an entry of a log is missing") }
        }
        entry.envelope = Envelope(sealed, key: entry.key, seq: entry.seq, prev: prev)
        return entry
    }

    private func readEntry(_ row: Statement) throws(SQLiteError) -> RowReading {
        let name = LogName(
            author: PeerID(try row.bytes32(.key)),
            incarnation: UInt64(stored: row.int(.incarnation)))
        return try self.readEntry(
            row, at: LogKey(conversation: ConversationID(try row.bytes32(.hash)), name: name))
    }

    private func readEntry(
        _ row: Statement, at key: LogKey
    ) throws(SQLiteError) -> RowReading {
        let flags = EntryFlags(rawValue: row.int(.flags))
        let arrival = row.int(.arrival)
        let visibility = Visibility(arrival: arrival, flags: flags)
        let time = HybridTime(stored: row.int(.hlc))
        let payload = row.optionalBytes(.payload)
        let entry = StoredEntry(
            cursor: Cursor(visibility.isShown ? arrival : 0), key: key,
            seq: UInt64(bitPattern: row.int(.seq)),
            id: try EntryID(prefix: row.int(.prefix), suffix: row.bytes(.suffix)), time: time,
            envelope: Envelope(
                plain: payload, entryClass: UInt8(truncatingIfNeeded: row.int(.class)),
                in: key.conversation),
            isSeen: !flags.contains(.hidden), isLate: flags.contains(.late),
            isDisputed: visibility.isDisputed)
        guard row.withBytes(.extra, { Entry.isNeeded(extra: $0) }) else {
            return RowReading(entry: entry, sealed: nil)
        }
        let sealed = try Entry(
            entryClass: row.int(.class), time: time, extra: row.optionalBytes(.extra),
            payload: payload)
        return RowReading(entry: entry, sealed: (sealed, row.int(.log)))
    }
}
