internal import Engine
internal import Formats
internal import Crypto

/// Puts salvaged entries together, log by log, and writes them into a new store as if they had
/// just come.
///
/// An entry counts where an attestation of its author vouches for it and for all before it; a log
/// is cut back to the last such entry.
struct Rebuild {
    private let staging: Database
    private let salvage: Salvage
    private let judge: any EntryJudge
    private let revoked: RevokedDevices
    /// Whose logs they are, as far as their first entries have been written.
    private var persons: [Int64: PersonID] = [:]
    private(set) var cuts: [StoreRepair.Repair.Cut] = []
    private(set) var entryCount = 0

    /// How many runs and bytes one transaction takes.
    private static let batchRuns = 256
    private static let batchBytes = 4_194_304

    init(_ salvage: Salvage, from staging: Database, by judge: any EntryJudge) {
        self.judge = judge
        self.salvage = salvage
        self.staging = staging
        self.revoked = RevokedDevices(salvage.records, salvage.groups.acts)
    }

    // MARK: Verifying

    /// Finds the runs of all logs that verify, and notes them in the order in which they had come.
    mutating func verify() throws(SQLiteError) {
        try self.staging.execute("BEGIN")
        for (id, log) in self.salvage.logs.sorted(by: { $0.key < $1.key }) {
            guard let key = self.salvage.key(id) else { continue }
            let (kept, found) = try self.verify(id, key)
            if kept < max(found, log.seq) {
                self.cuts.append(.init(log: key, kept: kept, lost: max(found, log.seq) - kept))
            }
        }
        try self.staging.execute(
            "COMMIT; CREATE INDEX runs_by_place ON runs (place, log, first)")
    }

    /// One log; gives the last entry that is kept, and the last one that was found.
    private func verify(
        _ id: Int64, _ key: LogKey
    ) throws(SQLiteError) -> (kept: UInt64, found: UInt64) {
        let rows = try self.entries(of: id)
        var head = Head.start
        var place = Int64.min
        var waiting: [Entry] = []
        var bytes = 0
        var firstArrival: Int64 = 0
        let note = try self.staging.prepare(
            "INSERT INTO runs VALUES (:log, :first, :count, :place)")
        var prev: EntryID?
        defer { rows.reset() }
        while try rows.step() {
            let seq = head.seq + UInt64(waiting.count) + 1
            guard rows.int(.seq) == Int64(seq), waiting.count < Limits.runEntries,
                let entry = try? Self.entry(rows)
            else { break }
            if waiting.isEmpty { (firstArrival, bytes) = (rows.int(.arrival), 0) }
            // Where attestations are missing, what is left between two must still fit a run.
            bytes += entry.runBytes(after: waiting.last?.time)
            guard bytes <= Limits.runEntryBytes else { break }
            waiting.append(entry)
            prev = entry.id(key: key, seq: seq, prev: prev)
            guard let attestation = try? rows.optionalBytes64(.attestation),
                let run = Self.run(key, after: head, waiting, attestation)
            else {
                // Without its own attestation a first entry cannot be sent alone, nor what follows.
                if seq == 1 { break }
                continue
            }
            // Cursors ran upwards in a log, but for entries that were held.
            place = max(place, firstArrival)
            try note.bind(.log, id).bind(.first, Int64(run.run.first))
                .bind(.count, Int64(waiting.count)).bind(.place, place).run()
            head = run.head
            waiting = []
        }
        let last = try self.staging.prepare("SELECT max(seq) FROM entries WHERE log = :log")
        try last.bind(.log, id)
        return (head.seq, UInt64(try last.int() ?? 0))
    }

    /// The columns that ``entry(_:)`` reads, of the rows of a log from a number on.
    private func entries(of log: Int64, from first: Int64 = 1) throws(SQLiteError) -> Statement {
        let statement = try self.staging.prepare(
            """
            SELECT seq, hlc, class, extra, payload, attestation, arrival, flags
            FROM entries WHERE log = :log AND seq >= :first ORDER BY seq
            """)
        try statement.bind(.log, log).bind(.first, first)
        return statement
    }

    private static func entry(_ row: Statement) throws(SQLiteError) -> Entry {
        try Entry(
            entryClass: row.int(.class), time: HybridTime(stored: row.int(.hlc)),
            extra: row.optionalBytes(.extra),
            payload: row.optionalBytes(.payload))
    }

    private static func run(
        _ key: LogKey, after head: Head, _ entries: [Entry], _ attestation: Bytes64
    ) -> VerifiedRun? {
        guard head.seq == 0 || entries[0].time > head.time,
            entries.allSatisfy({ $0.deps.count <= Limits.depCount })
        else { return nil }
        return Run(
            key: key, first: head.seq + 1, prev: head.seq == 0 ? nil : head.id,
            attestation: attestation, entries: entries
        ).verified()
    }

    // MARK: Writing

    /// Writes all that was verified into a new store, in the order in which it had come.
    mutating func write(into store: StoreFile) throws(SQLiteError) {
        var cursors = CursorMap()
        var heads: [Int64: Head] = [:]
        var batch = Batch(number: 1)
        var bytes = 0
        for conversation in self.salvage.conversations.values {
            batch.membership[ConversationID(conversation.hash)] = conversation.membership
            if !conversation.retention.isUnbounded {
                batch.retentions[ConversationID(conversation.hash)] = conversation.retention
            }
            if !conversation.arrangement.isEmpty {
                batch.arrangements[ConversationID(conversation.hash)] = conversation.arrangement
            }
        }
        batch.records = self.salvage.records
        batch.peers = self.salvage.peers
        batch.people = self.salvage.people
        batch.requests.kept = self.salvage.requests
        batch.groups = self.salvage.groups
        let runs = try self.staging.prepare(
            "SELECT log, first, count FROM runs ORDER BY place, log, first")
        try runs.forEach { (row) throws(SQLiteError) in
            let id = row.int(.log)
            guard let key = self.salvage.key(id) else { return }
            let (append, arrivals) = try self.append(
                id, key, from: row.int(.first), count: Int(row.int(.count)),
                after: heads[id] ?? .start)
            heads[id] = append.run.head
            cursors.add(arrivals)
            bytes += append.run.run.entries.reduce(0) { $0 + $1.runBytes }
            self.entryCount += arrivals.count
            batch.appends.append(append)
            if batch.appends.count == Self.batchRuns || bytes > Self.batchBytes {
                _ = try store.commit(batch)
                batch = Batch(number: batch.number + 1)
                bytes = 0
            }
        }
        _ = try store.commit(batch)
        batch = Batch(number: batch.number + 1)
        batch.proofs = self.salvage.proofs
        _ = try store.commit(batch)
        try self.writePositions(into: store, cursors)
    }

    /// A run as it is appended, and the arrival numbers that its entries had.
    private mutating func append(
        _ id: Int64, _ key: LogKey, from first: Int64, count: Int, after head: Head
    ) throws(SQLiteError) -> (Append, [Int64]) {
        var entries: [Entry] = []
        var arrivals: [Int64] = []
        var attestation: Bytes64?
        var (lateBefore, isOfKnown) = (HybridTime(0), false)
        var (states, isUnseen): ([PayloadState], [Bool]) = ([], [])
        let rows = try self.entries(of: id, from: first)
        defer { rows.reset() }
        while entries.count < count, try rows.step() {
            let entry = try Self.entry(rows)
            let flags = EntryFlags(rawValue: rows.int(.flags))
            // Where nothing says why a payload is absent, it is asked for.
            let state = flags.payloadState ?? .wanted
            states.append(state == .present ? .wanted : state)
            isUnseen.append(!flags.isDisjoint(with: .unseen))
            if flags.contains(.ofKnown) { isOfKnown = true }
            if flags.contains(.late) { lateBefore = entry.time.next ?? entry.time }
            arrivals.append(rows.int(.arrival))
            entries.append(entry)
            attestation = try rows.optionalBytes64(.attestation)
        }
        guard let attestation, let run = Self.run(key, after: head, entries, attestation) else {
            throw .damaged("a run that was verified is another now")
        }
        var (verdicts, person) = run.verdicts(by: self.judge, person: self.persons[id])
        for (index, state) in states.enumerated() where verdicts[index].payload != .present {
            verdicts[index].payload = state
        }
        self.persons[id] = person
        // What nobody saw since its device was revoked is not shown for being repaired.
        for (index, entry) in run.run.entries.enumerated()
        where isUnseen[index]
            && self.revoked.covers(
                key.name.author, of: person, at: entry.time, in: key.conversation)
        {
            let state = verdicts[index].payload
            verdicts[index] = verdicts[index].silenced
            verdicts[index].payload = state
        }
        var append = Append(
            run: run, verdicts: verdicts, person: person,
            heldFrom: arrivals.firstIndex { $0 < 0 } ?? entries.count, lateBefore: lateBefore)
        append.isOfKnown = isOfKnown
        append.keys = run.opener(by: self.judge)?.keys
        let sends = try self.staging.prepare(
            "SELECT seq, key FROM sends WHERE log = :log AND seq >= :first AND seq < :before")
        try sends.bind(.log, id).bind(.first, first).bind(.before, first + Int64(count))
            .forEach { (row) throws(SQLiteError) in
                append.idempotencyKeys[Int(row.int(.seq) - first)] = row.text(.key)
            }
        return (append, arrivals)
    }

    /// Where readers stood, in the new numbers.
    private func writePositions(
        into store: StoreFile, _ cursors: CursorMap
    ) throws(SQLiteError) {
        for conversation in self.salvage.conversations.values where conversation.read > 0 {
            try store.markRead(
                ConversationID(conversation.hash),
                through: Cursor(cursors.position(conversation.read)))
        }
        for consumer in self.salvage.consumers {
            let conversation = self.salvage.conversations[consumer.conversation]
            guard consumer.conversation == 0 || conversation != nil else { continue }
            try store.acknowledge(
                consumer.name, in: conversation.map { ConversationID($0.hash) },
                Cursor(cursors.position(consumer.cursor)))
        }
        try self.keepKeys(in: store)
        let state = try store.database.prepare(
            """
            INSERT OR REPLACE INTO state (one, owner, starts, token)
            VALUES (1, :owner, :starts, zeroblob(32))
            """)
        try state.bind(.owner, store.owner.key)
            .bind(.starts, self.salvage.starts ?? UInt64(0).stored).run()
    }
}

extension Rebuild {
    /// Keeps the idempotency keys of entries that were cut off: they count again when peers have
    /// brought these back.
    fileprivate func keepKeys(in store: StoreFile) throws(SQLiteError) {
        let lost = try self.staging.prepare(
            "SELECT key, log, seq, milliseconds FROM sends ORDER BY number")
        let add = try store.database.prepare(
            """
            INSERT OR IGNORE INTO sends (conversation, key, log, seq, milliseconds)
            VALUES (:conversation, :key, :log, :seq, :milliseconds)
            """)
        try lost.forEach { (row) throws(SQLiteError) in
            guard let key = self.salvage.key(row.int(.log)),
                let conversation = try store.conversationRow(key.conversation),
                let log = try store.logRow(key), row.int(.seq) > Int64(bitPattern: log.head.seq)
            else { return }
            try add.bind(.conversation, conversation).bind(.key, text: row.text(.key))
                .bind(.log, log.id).bind(.seq, row.int(.seq))
                .bind(.milliseconds, row.int(.milliseconds)).run()
        }
    }
}

/// Tells what a cursor of the old store is in the new one.
///
/// Arrival numbers move up where rows are missing. Kept as stretches that move alike, of which
/// there are as many as gaps and places where the order changed.
struct CursorMap {
    private struct Stretch {
        var old: ClosedRange<Int64>
        /// The new number of the first.
        var new: Int64
    }

    private var stretches: [Stretch] = []
    private var newest: Int64 = 0

    /// Counts the next entries by the arrival numbers that they had; held ones get none.
    mutating func add(_ arrivals: [Int64]) {
        for arrival in arrivals where arrival > 0 {
            self.newest += 1
            if let last = self.stretches.last, arrival == last.old.upperBound + 1 {
                self.stretches[self.stretches.count - 1].old = last.old.lowerBound...arrival
            } else {
                self.stretches.append(Stretch(old: arrival...arrival, new: self.newest))
            }
        }
    }

    /// The largest new cursor up to which everything had an old number up to `cursor`: a reader that
    /// goes on from there misses nothing, though it may see something twice.
    func position(_ cursor: Int64) -> Int64 {
        var position = self.newest
        for stretch in self.stretches where stretch.old.upperBound > cursor {
            let seen = max(0, cursor - stretch.old.lowerBound + 1)
            position = min(position, stretch.new + seen - 1)
        }
        return position
    }
}
