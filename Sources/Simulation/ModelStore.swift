import Engine
import Crypto

/// The contract between a node and its store, as plainly as it can be written.
///
/// What a batch may hold and what becomes of it is checked here as strictly as it is said in
/// ``Batch``, so that a node that works on this model works on the real store.
struct ModelStore {
    /// An entry and what became of it.
    struct Row {
        var entry: Entry
        var id: EntryID
        var attestation: Bytes64?
        /// Its place in the order of arrival; nil while it is held, and for one that is hidden.
        var cursor: Cursor?
        var isHeld = false
        var isHidden = false
        var isLate = false
    }

    /// All entries of one log.
    struct Log {
        var rows: [Row] = []
        var proof: ForkProof?

        /// How many entries count: those before the fork point.
        var count: UInt64 {
            min(UInt64(self.rows.count), self.proof.map { $0.point - 1 } ?? .max)
        }

        var head: Head {
            guard self.count > 0 else { return .start }
            let row = self.rows[Int(self.count) - 1]
            return Head(seq: self.count, id: row.id, time: row.entry.time)
        }

        func isDisputed(_ index: Int) -> Bool {
            self.proof.map { UInt64(index) + 1 >= $0.point } ?? false
        }
    }

    let owner: PeerID
    var logs: [LogKey: Log] = [:]
    var rooms: [ConversationID: RoomMembership] = [:]
    var records: [PeerID: Record] = [:]
    var peers: [PeerID: KnownPeer] = [:]
    var sent: [String: SentMessage] = [:]
    var incarnation: UInt64?
    var newestCursor: Int64 = 0
    private var places: [EntryID: (key: LogKey, index: Int)] = [:]
    private var waiting: [EntryID: [EntryID]] = [:]
    private var heldEntries: Set<EntryID> = []

    /// Creates an empty store.
    init(owner: PeerID) { self.owner = owner }

    // MARK: Committing

    /// Writes a batch; a violation ends the run, so that nothing needs to be undone.
    ///
    /// - Parameter isAttested: whether a run's signature is its author's.
    mutating func commit(
        _ batch: Batch, isAttested: (VerifiedRun) -> Bool
    ) throws -> BatchOutcome {
        var hidden: [EntryID] = []
        // What a run brings from behind a fork point is not shown where the proof is here already.
        let isKnownFirst = batch.proofs.map { proof in
            batch.appends.allSatisfy {
                $0.run.run.key != proof.key || $0.run.run.first < proof.point
            }
        }
        for (proof, isFirst) in zip(batch.proofs, isKnownFirst) where isFirst {
            try self.end(proof)
        }
        for append in batch.appends {
            guard append.run.run.ids == append.run.ids, isAttested(append.run) else {
                throw Violation("a node stores an entry that nobody wrote: its run is not valid")
            }
            try self.append(append, &hidden)
        }
        for (proof, isFirst) in zip(batch.proofs, isKnownFirst) where !isFirst {
            try self.end(proof)
        }
        let released = batch.release.map { self.release(through: $0) } ?? []
        for record in batch.records { self.records[record.author] = record }
        for (room, membership) in batch.membership { self.rooms[room] = membership }
        for peer in batch.peers { self.peers[peer.id] = peer }
        if let incarnation = batch.incarnation { self.incarnation = incarnation }
        // What one batch both appends and releases is told once, as released.
        let cursors = batch.appends.map { append in
            append.run.ids.map { released.contains($0) ? nil : self.row($0)?.cursor }
        }
        let new = Set(batch.appends.flatMap(\.run.ids))
        for (index, append) in batch.appends.enumerated() {
            for (offset, key) in append.keys {
                let id = append.run.ids[offset]
                self.sent[key] = SentMessage(
                    id: id, conversation: append.run.run.key.conversation,
                    cursor: cursors[index][offset], time: append.run.run.entries[offset].time)
            }
        }
        return BatchOutcome(
            number: batch.number, cursors: cursors, released: released.compactMap(self.stored),
            hidden: hidden.filter { !new.contains($0) }.compactMap(self.stored), held: self.held)
    }

    private func checkPlace(of append: Append) throws {
        let run = append.run.run
        let log = self.logs[run.key] ?? Log()
        let name = "\(run.key.name.author.shortText)/\(run.key.name.incarnation)"
        guard run.first == log.head.seq + 1 else {
            throw Violation("append to \(name) at \(run.first), its head is \(log.head.seq)")
        }
        guard run.prev == (log.head.seq == 0 ? nil : log.head.id) else {
            throw Violation("append to \(name) at \(run.first) does not follow its head")
        }
        guard run.entries[0].time > log.head.time || run.first == 1,
            zip(run.entries, run.entries.dropFirst()).allSatisfy({ $0.time < $1.time })
        else { throw Violation("append to \(name) at \(run.first) goes back in time") }
        guard log.proof.map({ run.first < $0.point }) ?? true else {
            throw Violation("append to \(name) at \(run.first) behind its fork point")
        }
    }

    private mutating func append(_ append: Append, _ hidden: inout [EntryID]) throws {
        try self.checkPlace(of: append)
        let run = append.run.run
        let room = run.key.conversation
        let proof = self.logs[run.key]?.proof
        // What lay behind a fork point gives way.
        let excess = self.logs[run.key].map { $0.rows.count - Int($0.count) } ?? 0
        if excess > 0 { self.logs[run.key]?.rows.removeLast(excess) }
        for (offset, entry) in run.entries.enumerated() {
            let id = append.run.ids[offset]
            let index = Int(run.first) - 1 + offset
            var row = Row(
                entry: entry, id: id,
                attestation: offset == run.entries.count - 1 ? run.attestation : nil)
            row.isHidden =
                (proof.map { UInt64(index) + 1 >= $0.point } ?? false)
                || self.isContradicted(entry, in: room)
            row.isHeld = offset >= append.heldFrom && !row.isHidden
            row.isLate = entry.time < append.lateBefore
            if row.isHeld {
                self.heldEntries.insert(id)
            } else if !row.isHidden {
                row.cursor = self.nextCursor()
            }
            self.places[id] = (run.key, index)
            self.logs[run.key, default: Log()].rows.append(row)
            for dep in entry.deps where self.places[dep] == nil {
                self.waiting[dep, default: []].append(id)
            }
            for other in self.waiting.removeValue(forKey: id) ?? [] {
                self.hide(other, in: room, &hidden)
            }
        }
    }

    /// Whether an entry is not later than one that it follows, of those that count: what lies behind
    /// a fork is not on every disk, so that it counts on none.
    private func isContradicted(_ entry: Entry, in room: ConversationID) -> Bool {
        entry.deps.contains { dep in
            guard let place = self.places[dep], place.key.conversation == room,
                let row = self.row(dep)
            else { return false }
            return row.entry.time >= entry.time
                && self.logs[place.key]?.isDisputed(place.index) == false
        }
    }

    /// Hides an entry that is not later than one that it follows, which has just come in.
    private mutating func hide(
        _ id: EntryID, in room: ConversationID, _ hidden: inout [EntryID]
    ) {
        guard let place = self.places[id], place.key.conversation == room,
            let row = self.row(id), self.isContradicted(row.entry, in: room), !row.isHidden
        else { return }
        if row.cursor != nil { hidden.append(id) }
        self.logs[place.key]?.rows[place.index].isHidden = true
        self.logs[place.key]?.rows[place.index].isHeld = false
        self.logs[place.key]?.rows[place.index].cursor = nil
        self.heldEntries.remove(id)
    }

    private mutating func end(_ proof: ForkProof) throws {
        guard proof.isValid else { throw Violation("a fork proof that proves nothing is stored") }
        var log = self.logs[proof.key] ?? Log()
        if let known = log.proof, known.point <= proof.point { return }
        log.proof = proof
        for index in log.rows.indices where log.isDisputed(index) && log.rows[index].isHeld {
            log.rows[index].isHeld = false
            log.rows[index].isHidden = true
            self.heldEntries.remove(log.rows[index].id)
        }
        self.logs[proof.key] = log
        self.reveal(in: proof.key.conversation)
    }

    /// What only something behind a fork has hidden is released next, like what was ahead of time.
    private mutating func reveal(in room: ConversationID) {
        for (key, log) in self.logs where key.conversation == room {
            for (index, row) in log.rows.enumerated()
            where row.isHidden && !log.isDisputed(index)
                && !self.isContradicted(row.entry, in: room)
            {
                self.logs[key]?.rows[index].isHidden = false
                self.logs[key]?.rows[index].isHeld = true
                self.heldEntries.insert(row.id)
            }
        }
    }

    private mutating func release(through time: HybridTime) -> [EntryID] {
        var due: [(order: (HybridTime, PeerID, UInt64, UInt64), key: LogKey, index: Int)] = []
        for id in self.heldEntries {
            guard let place = self.places[id], let row = self.row(id), row.entry.time <= time
            else { continue }
            let name = place.key.name
            due.append(
                (
                    (row.entry.time, name.author, name.incarnation, UInt64(place.index)),
                    place.key, place.index
                ))
        }
        due.sort { $0.order < $1.order }
        return due.compactMap { place in
            let cursor = self.nextCursor()
            self.logs[place.key]?.rows[place.index].isHeld = false
            self.logs[place.key]?.rows[place.index].cursor = cursor
            guard let id = self.logs[place.key]?.rows[place.index].id else { return nil }
            self.heldEntries.remove(id)
            return id
        }
    }

    private mutating func nextCursor() -> Cursor {
        self.newestCursor += 1
        return Cursor(self.newestCursor)
    }

    // MARK: Looking up

    func row(_ id: EntryID) -> Row? {
        guard let place = self.places[id], let log = self.logs[place.key],
            place.index < log.rows.count, log.rows[place.index].id == id
        else { return nil }
        return log.rows[place.index]
    }

    private func stored(_ id: EntryID) -> StoredEntry? {
        guard let place = self.places[id], let row = self.row(id) else { return nil }
        var payload: [UInt8]?
        if case .present(let bytes) = row.entry.payload { payload = bytes }
        return StoredEntry(
            cursor: row.cursor ?? Cursor(0), key: place.key, seq: UInt64(place.index) + 1, id: id,
            kind: row.entry.kind, time: row.entry.time, payload: payload, isLate: row.isLate,
            isDisputed: self.logs[place.key]?.isDisputed(place.index) ?? false)
    }

    /// What is held, as the node is told.
    var held: HeldEntries {
        HeldEntries(
            count: self.heldEntries.count,
            first: self.heldEntries.compactMap { self.row($0)?.entry.time }.min())
    }

    /// Runs one behind the other, as far as one of the largest size fits into so many bytes.
    func readRuns(_ key: LogKey, from first: UInt64, through: UInt64, byteLimit: Int) -> [Run] {
        var runs: [Run] = []
        var next = first
        var left = byteLimit
        repeat {
            guard let run = self.readRun(key, from: next, through: through) else { break }
            runs.append(run)
            next = run.last + 1
            left -= run.frameBytes
        } while next <= through && left >= Limits.runFrameBytes
        return runs
    }

    /// The run that begins at a seq and ends at an attested position: at `through`, behind it, or as far as
    /// a run may reach.
    private func readRun(_ key: LogKey, from first: UInt64, through: UInt64) -> Run? {
        guard let log = self.logs[key], first >= 1, first <= log.count else { return nil }
        var entries: [Entry] = []
        var bytes = 0
        var end: (count: Int, attestation: Bytes64)?
        for row in log.rows[Int(first - 1)...] {
            // Behind a fork point entries only serve to attest those before it.
            if let end, first + UInt64(end.count) > log.count { break }
            bytes += row.entry.runBytes
            if entries.count == Limits.runEntries || bytes > Limits.runEntryBytes { break }
            entries.append(row.entry)
            guard let attestation = row.attestation else { continue }
            end = (entries.count, attestation)
            if first + UInt64(entries.count) - 1 >= min(through, log.count) { break }
        }
        guard let end else { return nil }
        return Run(
            key: key, first: first, prev: first == 1 ? nil : log.rows[Int(first) - 2].id,
            attestation: end.attestation, entries: Array(entries.prefix(end.count)))
    }

    // MARK: Starting

    /// What a node finds when it starts; without proof of continuity no incarnation.
    func snapshot(isContinuous: Bool) -> Snapshot {
        var snapshot = Snapshot()
        snapshot.incarnation = isContinuous ? self.incarnation : nil
        snapshot.rooms = self.rooms
        snapshot.records = self.records.values.sorted { $0.author < $1.author }
        snapshot.peers = self.peers.values.sorted { $0.id < $1.id }
        snapshot.held = self.held
        for (key, log) in self.logs.sorted(by: { $0.key < $1.key }) {
            let head = log.head
            snapshot.logs[key] = StoredLog(
                head: head, forkPoint: log.proof?.point,
                isHeadShown: head.seq > 0 && log.rows[Int(head.seq) - 1].cursor != nil)
            if let proof = log.proof { snapshot.proofs.append(proof) }
            let room = key.conversation
            for row in log.rows {
                if key.name.author == self.owner {
                    snapshot.latestOwnTime = max(snapshot.latestOwnTime, row.entry.time)
                }
                guard row.cursor != nil else { continue }
                snapshot.latestShown[room] = max(
                    snapshot.latestShown[room] ?? row.entry.time, row.entry.time)
            }
        }
        for room in self.rooms.keys {
            snapshot.members[room] = self.members(of: room)
        }
        return snapshot
    }

    /// Authors whose latest shown join or leave is a join.
    func members(of room: ConversationID) -> Set<PeerID> {
        var latest: [PeerID: (order: (HybridTime, UInt64, Int), kind: UInt8)] = [:]
        for (key, log) in self.logs where key.conversation == room {
            for (index, row) in log.rows.enumerated()
            where row.cursor != nil && !log.isDisputed(index) && row.entry.kind != Entry.Kind.text {
                let order = (row.entry.time, key.name.incarnation, index)
                let known = latest[key.name.author]
                if known.map({ $0.order < order }) ?? true {
                    latest[key.name.author] = (order, row.entry.kind)
                }
            }
        }
        return Set(latest.filter { $0.value.kind == Entry.Kind.join }.keys)
    }
}
