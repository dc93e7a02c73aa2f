import Engine
import Formats
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
        /// What its node has said of it.
        var verdict: EntryVerdict
        /// What becomes of it, by the rule that the real store has, too.
        var visibility: Visibility
        /// Its place in the order of arrival; nil where it never was shown.
        var cursor: Cursor?
        var isLate = false
        /// Whether the user knows its author, so that it is held for less long.
        var isOfKnown = false
        /// Whether what it says of a message was lost, by a deliberate bug.
        var isForgotten = false

        /// Whether its payload is here.
        var isWhole: Bool { if case .present = self.entry.payload { true } else { false } }

        /// Whether nothing of it is to come any more.
        var isSettled: Bool { self.verdict.payload != .wanted }
    }

    /// All entries of one log.
    struct Log {
        var rows: [Row] = []
        var proof: ForkProof?
        var person: PersonID?
        var source: Source?
        var marks = LogMarks()
        var number: Int64 = 0

        /// How many entries count: those before the fork point.
        var count: UInt64 {
            min(UInt64(self.rows.count), self.proof.map { $0.point - 1 } ?? .max)
        }

        var head: Head {
            guard self.count > 0 else { return .start }
            let row = self.rows[Int(self.count) - 1]
            return Head(seq: self.count, id: row.id, time: row.entry.time)
        }

        /// Whether a row stands at or behind the fork point.
        func isBehindFork(_ index: Int) -> Bool {
            self.proof.map { UInt64(index) + 1 >= $0.point } ?? false
        }
    }

    let owner: PeerID
    var logs: [LogKey: Log] = [:]
    var rooms: [ConversationID: ConversationMembership] = [:]
    var requests: [PersonID: DirectRequest] = [:]
    var persons: [PersonID: PublicPerson] = [:]
    var records: [RecordKey: Record] = [:]
    var peers: [PeerID: KnownPeer] = [:]
    var people: [PeerID: Standing] = [:]
    var groups = ModelGroups()
    var sent: [ConversationID: [String: EntryID]] = [:]
    var incarnation: UInt64?
    var newestCursor: Int64 = 0
    private var lastLog: Int64 = 0
    /// Up to where the user has read.
    private(set) var reads: [ConversationID: Cursor] = [:]
    /// How far members have own logs, and the user those of others.
    private var positions: [LogKey: [PeerID: MemberPosition]] = [:]
    /// The notices that are kept, oldest first.
    var notices: [(cursor: Cursor, notice: Notice)] = []
    private var places: [EntryID: (key: LogKey, index: Int)] = [:]
    private var heldEntries: Set<EntryID> = []
    /// What entries want erased, and which entries do.
    var erasers: [EntryTarget: [EntryPlace]] = [:]
    /// How much was said of messages that were not here, under a deliberate bug.
    var earlyReferences: [EntryTarget: Int] = [:]
    /// What one batch has erased.
    var erased: [Erasure] = []
    /// The files that entries tell of, and those of which one batch has taken an entry away.
    private var attached: [BlobID: Set<EntryPlace>] = [:]
    private var loosened: Set<FileWithdrawal> = []

    init(owner: PeerID) { self.owner = owner }

    // MARK: Committing

    /// Writes a batch; a violation ends the run, so that nothing needs to be undone.
    ///
    /// - Parameter isAttested: whether a run's signature is its author's.
    mutating func commit(
        _ batch: Batch, isAttested: (VerifiedRun) -> Bool
    ) throws -> BatchOutcome {
        (self.loosened, self.erased) = ([], [])
        let isKnownFirst = batch.proofs.map(batch.isKnownBeforeAppends)
        for (proof, isFirst) in zip(batch.proofs, isKnownFirst) where isFirst {
            try self.end(proof)
        }
        let drops = batch.drops.map { self.drop($0) }
        for append in batch.appends {
            guard append.run.run.ids == append.run.ids, isAttested(append.run) else {
                throw Violation("a node stores an entry that nobody wrote: its run is not valid")
            }
            try self.append(append)
        }
        for (proof, isFirst) in zip(batch.proofs, isKnownFirst) where !isFirst {
            try self.end(proof)
        }
        let filled = try batch.fills.compactMap { try self.fill($0).flatMap(self.stored) }
        // What is held is not shown yet, so nothing of it expires before it is released.
        let expired = batch.expiry.map { self.expire($0) }
        let released = batch.release.map { self.release($0) } ?? []
        self.storeFacts(of: batch)
        try self.groups.write(batch.groups)
        let reads = batch.reads.mapValues { min($0, Cursor(self.newestCursor)) }
        for (key, members) in batch.positions {
            self.positions[key, default: [:]].merge(members) { _, later in later }
        }
        if let incarnation = batch.incarnation { self.incarnation = incarnation }
        // What one batch both appends and releases is told once, as released.
        let cursors = batch.appends.map { append in
            append.run.ids.map { released.contains($0) ? nil : self.row($0)?.cursor }
        }
        self.noteKeys(of: batch)
        let notices = batch.notices.map { (cursor: self.nextCursor(), notice: $0) }
        self.notices = (self.notices + notices).suffix(Limits.notices)
        var outcome = BatchOutcome(
            number: batch.number, cursors: cursors, released: released.compactMap(self.stored),
            notices: notices.map(\.cursor), held: self.held)
        outcome.filled = filled
        outcome.erased = self.erased
        outcome.drops = drops.map { drop in
            var drop = drop
            drop.attendance =
                self.attendance(in: drop.key.conversation)[drop.key.name.author]
            return drop
        }
        for (key, marks) in batch.logMarks { self.logs[key]?.marks = marks }
        outcome.expired = expired
        outcome.withdrawn = self.withdrawals()
        for entry in outcome.filled + outcome.released {
            guard let read = self.positions[entry.key]?[self.owner]?.read else { continue }
            self.positions[entry.key]?[self.owner]?.read = min(read, entry.seq - 1)
        }
        for (room, cursor) in reads { outcome.reads[room] = self.read(room, through: cursor) }
        return outcome
    }

    /// The files of which nothing tells since this batch, or nothing in a conversation.
    private func withdrawals() -> [FileWithdrawal] {
        var withdrawn: [FileWithdrawal] = []
        for gone in self.loosened.sorted(by: {
            ($0.blob, $0.conversation?.description ?? "")
                < ($1.blob, $1.conversation?.description ?? "")
        }) {
            if self.attached[gone.blob] == nil {
                if withdrawn.last?.blob != gone.blob {
                    withdrawn.append(FileWithdrawal(blob: gone.blob, conversation: nil))
                }
            } else if let conversation = gone.conversation,
                !self.tells(conversation, of: gone.blob)
            {
                withdrawn.append(gone)
            }
        }
        return withdrawn
    }

    /// The user has read a room up to a cursor: says how far that is in each log of others.
    private mutating func read(
        _ room: ConversationID, through cursor: Cursor
    ) -> [LogName: UInt64] {
        guard cursor > self.reads[room] ?? Cursor(0) else { return [:] }
        self.reads[room] = cursor
        var read: [LogName: UInt64] = [:]
        for (key, log) in self.logs
        where key.conversation == room && key.name.author != self.owner {
            let unread = log.rows.firstIndex { row in
                row.visibility == .held || row.cursor.map { $0 > cursor } ?? false
            }
            let seq = min(UInt64(unread ?? log.rows.count), log.count)
            guard seq > self.positions[key]?[self.owner]?.read ?? 0 else { continue }
            self.positions[key, default: [:]][self.owner, default: MemberPosition()].read = seq
            read[key.name] = seq
        }
        return read
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

    private mutating func append(_ append: Append) throws {
        try self.checkPlace(of: append)
        let run = append.run.run
        let point = self.logs[run.key]?.proof?.point
        if run.first == 1 {
            self.logs[run.key, default: Log()].person = append.person
            self.logs[run.key]?.source = append.source
            self.lastLog += 1
            self.logs[run.key]?.number = self.lastLog
        }
        for (offset, entry) in run.entries.enumerated() {
            let id = append.run.ids[offset]
            var row = Row(
                entry: entry, id: id,
                attestation: offset == run.entries.count - 1 ? run.attestation : nil,
                verdict: append.verdicts[offset],
                visibility: Visibility(
                    onArrivalAt: run.first + UInt64(offset), isAhead: offset >= append.heldFrom,
                    forkPoint: point))
            row.isLate = entry.time < append.lateBefore
            row.isOfKnown = append.isOfKnown
            row.isForgotten = self.isLost(row, in: run.key.conversation)
            if row.visibility == .held { self.heldEntries.insert(id) }
            if row.visibility.isShown { row.cursor = self.nextCursor() }
            self.places[id] = (run.key, Int(run.first) - 1 + offset)
            self.logs[run.key, default: Log()].rows.append(row)
            self.attach(row.verdict, at: EntryPlace(key: run.key, seq: run.first + UInt64(offset)))
            self.eraseNamed(by: row, run.key, seq: run.first + UInt64(offset))
        }
    }

    private mutating func end(_ proof: ForkProof) throws {
        guard proof.isValid else { throw Violation("a fork proof that proves nothing is stored") }
        var log = self.logs[proof.key] ?? Log()
        guard Visibility.forkPoint(known: log.proof?.point, proven: proof.point) != nil else {
            return
        }
        log.proof = proof
        for index in log.rows.indices where log.isBehindFork(index) {
            let visibility = log.rows[index].visibility.proven
            log.rows[index].visibility = visibility
            if visibility != .held { self.heldEntries.remove(log.rows[index].id) }
        }
        self.logs[proof.key] = log
    }

    private mutating func release(_ until: Due) -> [EntryID] {
        var due: [(order: (HybridTime, PeerID, UInt64, UInt64), key: LogKey, index: Int)] = []
        for id in self.heldEntries {
            guard let place = self.places[id], let row = self.row(id),
                row.entry.time <= (row.isOfKnown ? max(until.known, until.others) : until.others)
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
            guard var row = self.logs[place.key]?.rows[place.index] else { return nil }
            row.visibility = row.visibility.released
            row.cursor = cursor
            self.logs[place.key]?.rows[place.index] = row
            self.heldEntries.remove(row.id)
            return row.id
        }
    }

    /// An entry is gone.
    mutating func forgetPlace(of id: EntryID) {
        self.places[id] = nil
        self.heldEntries.remove(id)
    }

    mutating func nextCursor() -> Cursor {
        self.newestCursor += 1
        return Cursor(self.newestCursor)
    }

    // MARK: Files

    /// Notes the file that an entry tells of, if any.
    mutating func attach(_ verdict: EntryVerdict, at place: EntryPlace) {
        guard case .file(let blob, _)? = verdict.attaches else { return }
        self.attached[blob, default: []].insert(place)
    }

    /// An entry that may have told of a file has gone.
    mutating func detach(_ verdict: EntryVerdict, at place: EntryPlace) {
        guard case .file(let blob, _)? = verdict.attaches else { return }
        self.attached[blob]?.remove(place)
        if self.attached[blob]?.isEmpty == true { self.attached[blob] = nil }
        self.loosened.insert(
            FileWithdrawal(blob: blob, conversation: place.key.conversation))
    }

    /// The files that entries tell of, in order.
    var attachedFiles: [BlobID] { self.attached.keys.sorted() }

    /// Where a file is told of, and its size as it is told there.
    func attachments(of blob: BlobID) -> [(conversation: ConversationID, size: UInt64)] {
        (self.attached[blob] ?? []).sorted { ($0.key, $0.seq) < ($1.key, $1.seq) }.compactMap {
            let row = self.logs[$0.key]?.rows[Int($0.seq) - 1]
            guard case .file(_, let size)? = row?.verdict.attaches else { return nil }
            return ($0.key.conversation, size)
        }
    }

    /// Whether a conversation tells of a file.
    func tells(_ conversation: ConversationID, of blob: BlobID) -> Bool {
        self.attached[blob]?.contains { $0.key.conversation == conversation } == true
    }

    // MARK: Looking up

    /// The entry at a position of a log.
    func id(of seq: UInt64, in key: LogKey) -> EntryID? {
        self.logs[key]?.rows.dropFirst(Int(seq) - 1).first?.id
    }

    func row(_ id: EntryID) -> Row? {
        guard let place = self.places[id], let log = self.logs[place.key],
            place.index < log.rows.count, log.rows[place.index].id == id
        else { return nil }
        return log.rows[place.index]
    }

    private func stored(_ id: EntryID) -> StoredEntry? {
        guard let place = self.places[id], let row = self.row(id) else { return nil }
        return StoredEntry(
            cursor: row.cursor ?? Cursor(0), key: place.key, seq: UInt64(place.index) + 1, id: id,
            time: row.entry.time, envelope: self.envelope(of: row, place.key, place.index),
            isSeen: row.verdict.isSeen, isLate: row.isLate, isDisputed: row.visibility.isDisputed)
    }

    /// What it takes to read an entry.
    func envelope(of row: Row, _ key: LogKey, _ index: Int) -> Envelope {
        Envelope(
            row.entry, key: key, seq: UInt64(index) + 1,
            prev: index == 0 ? nil : self.logs[key]?.rows[index - 1].id)
    }

    /// What was sent under an idempotency key.
    func earlierSend(
        _ key: String, in conversation: ConversationID, by keyring: Keyring
    ) -> EarlierSend? {
        guard let id = self.sent[conversation]?[key], let entry = self.stored(id) else {
            return nil
        }
        return EarlierSend(
            message: SentMessage(
                id: id, conversation: conversation,
                cursor: entry.cursor > Cursor(0) ? entry.cursor : nil, time: entry.time),
            content: Message(entry, by: keyring)?.content)
    }

    /// What is held, as the node is told.
    var held: HeldEntries {
        HeldEntries(
            count: self.heldEntries.count,
            first: self.heldEntries.compactMap { self.row($0)?.entry.time }.min(),
            firstOfKnown: self.heldEntries.compactMap { self.row($0) }.filter(\.isOfKnown)
                .map(\.entry.time).min())
    }

    /// Runs one behind the other, as far as one of the largest size fits into so many bytes.
    func readRuns(_ key: LogKey, from first: UInt64, through: UInt64, byteLimit: Int) -> [Run] {
        var runs: [Run] = []
        var next = first
        var left = byteLimit
        repeat {
            // A run that begins a log has its first entry alone.
            guard let run = self.readRun(key, from: next, through: next == 1 ? 1 : through) else {
                break
            }
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
            bytes += row.entry.runBytes(after: entries.last?.time)
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
        snapshot.conversations = self.rooms
        snapshot.records = self.records.values.sorted { $0.key < $1.key }
        snapshot.peers = self.peers.values.sorted { $0.id < $1.id }
        snapshot.people = self.people
        snapshot.positions = self.positions
        snapshot.persons = self.persons
        snapshot.requests = self.requests.values.sorted { $0.person.id < $1.person.id }
        snapshot.held = self.held
        self.groups.fill(&snapshot)
        for (key, log) in self.logs.sorted(by: { $0.key < $1.key }) {
            let head = log.head
            snapshot.logs[key] = StoredLog(
                head: head, forkPoint: log.proof?.point,
                isHeadShown: head.seq > 0 && log.rows[Int(head.seq) - 1].cursor != nil,
                person: log.person)
            snapshot.charges[key] = LogCharge(
                source: log.source, number: log.number, marks: log.marks)
            for (index, row) in log.rows.prefix(Int(log.count)).enumerated()
            where row.verdict.payload == .wanted {
                snapshot.logs[key]?.wanted.insert(UInt64(index) + 1...UInt64(index) + 1)
            }
            let held = log.rows.indices.filter { log.rows[$0].visibility == .held }
            if let first = held.first, let last = held.last {
                snapshot.logs[key]?.held = UInt64(first) + 1...UInt64(last) + 1
            }
            let room = key.conversation
            let isOfStream = log.rows.contains {
                $0.entry.entryClass == EntryClass.stream.rawValue
                    && [.present, .wanted].contains($0.verdict.payload)
            }
            if isOfStream { snapshot.streams.insert(room) }
            for row in log.rows where row.verdict.kind == EntryKind.own.rawValue {
                if let entry = self.stored(row.id) { snapshot.own.append(entry) }
            }
            for row in log.rows where row.verdict.kind == EntryKind.epoch.rawValue {
                if let entry = self.stored(row.id) { snapshot.noteAnnouncement(entry, log.person) }
            }
            for row in log.rows {
                guard row.cursor != nil else { continue }
                snapshot.latestShown[room] = max(
                    snapshot.latestShown[room] ?? row.entry.time, row.entry.time)
            }
        }
        for room in self.rooms.keys {
            snapshot.attendance[room] = self.attendance(in: room)
        }
        return snapshot
    }

    /// What each author's joins and leaves say that take effect.
    func attendance(in room: ConversationID) -> [PeerID: Attendance] {
        var latest: [PeerID: Attendance] = [:]
        for (key, log) in self.logs where key.conversation == room {
            let author = key.name.author
            for (index, row) in log.rows.enumerated() where row.visibility.takesEffect {
                guard row.verdict.isSeen, let isPresent = row.verdict.attendance else { continue }
                let attendance = Attendance(
                    isPresent: isPresent, time: row.entry.time,
                    incarnation: key.name.incarnation, seq: UInt64(index) + 1)
                if attendance.supersedes(latest[author]) { latest[author] = attendance }
            }
        }
        return latest
    }
}
