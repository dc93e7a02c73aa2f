package import Crypto
package import Engine
package import Formats

/// The store of a node: one SQLite file that one thread reads and writes.
///
/// Every call may block on the disk, so the executor should have a thread of its own. A call that
/// throws has changed nothing, and the store can be used again once the cause is gone.
/// `Docs/Data.md` describes the file.
package actor MessageStore {
    private let executor: any SerialExecutor
    private var file: StoreFile?

    private init(executor: any SerialExecutor) { self.executor = executor }

    /// The executor that was given.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        self.executor.asUnownedSerialExecutor()
    }

    /// Opens the store in a data directory, which must exist; makes `stoa.db` there (0600) where it
    /// is missing.
    ///
    /// `continuity` is the path of a small file, one per identity, in another directory, which must
    /// exist: with it the store proves that it is not an older copy of itself (``Continuity``).
    /// Where that is not proven ``snapshot()`` gives no incarnation. `owner` is the identity whose
    /// logs are the own ones, `safe` seals what opens something else. `identify` tells a file from its copies (statx(2)); nil where it
    /// cannot.
    ///
    /// Throws `locked` while another process has the store open, `newer` for the file of a later
    /// version, `corrupt` for a file that is damaged or not a store, and what every call throws.
    /// `locked` and `newer` promise that nothing was written.
    package static func open(
        directory: String, continuity: String, owner: PeerID, safe: Safe,
        executor: any SerialExecutor, identify: @escaping @Sendable (String) -> StoreFileIdentity?
    ) async throws(StoreFailure) -> MessageStore {
        try await Self.open(
            directory: directory, continuity: continuity, owner: owner, safe: safe,
            executor: executor, idBatchCount: RecentIDs.batchCount, identify: identify)
    }

    /// Opens the store with another size of what ``RecentIDs`` holds.
    static func open(
        directory: String, continuity: String, owner: PeerID, safe: Safe,
        executor: any SerialExecutor, idBatchCount: Int,
        identify: @escaping @Sendable (String) -> StoreFileIdentity?
    ) async throws(StoreFailure) -> MessageStore {
        let store = MessageStore(executor: executor)
        try await store.start(directory, continuity, owner, safe, idBatchCount, identify)
        return store
    }

    /// Whether columns of the store in a directory are sealed; false where there is none.
    package static func isSealed(in directory: String) throws(StoreFailure) -> Bool {
        try StoreDirectory.isSealed("\(directory)/\(StoreDirectory.databaseName)")
    }

    private func start(
        _ directory: String, _ continuity: String, _ owner: PeerID, _ safe: Safe,
        _ idBatchCount: Int,
        _ identify: @Sendable (String) -> StoreFileIdentity?
    ) throws(StoreFailure) {
        self.file = try StoreFile(
            directory: directory, continuity: continuity, owner: owner, safe: safe,
            idBatchCount: idBatchCount, identify: identify)
    }

    /// Opens the store in a data directory whose file system is read-only: every call that would write throws
    /// `readOnly`.
    package static func openToRead(
        directory: String, owner: PeerID, safe: Safe, executor: any SerialExecutor
    ) async throws(StoreFailure) -> MessageStore {
        let store = MessageStore(executor: executor)
        try await store.startReading(directory, owner, safe)
        return store
    }

    private func startReading(
        _ directory: String, _ owner: PeerID, _ safe: Safe
    ) throws(StoreFailure) {
        self.file = try StoreFile(readingIn: directory, owner: owner, safe: safe)
    }

    /// What stood at the end of the write-ahead log and was left out when the store was opened, in
    /// words with the file's name: a commit that was being written when the power failed, or, where
    /// none did, that is damaged.
    package var leftOut: String? { self.file?.leftOut }

    /// Closes the file and gives its lock back; no other call may follow.
    package func close() { self.file = nil }

    private func perform<R>(
        _ body: (StoreFile) throws(SQLiteError) -> R
    ) throws(StoreFailure) -> R {
        guard let file = self.file else { preconditionFailure("a closed store is not used") }
        do throws(StoreFailure) {
            return try StoreFile.translating(file.path, file.database) {
                () throws(SQLiteError) in try body(file)
            }
        } catch {
            // SQLite knows only that it was opened so.
            guard file.isOnlyRead, error.reason == .readOnly else { throw error }
            throw StoreFailure(readOnly: file.path)
        }
    }

    /// Bounds what the database may take.
    ///
    /// A batch that would make it larger is refused as on a full disk, but for one that takes something
    /// off the disk.
    ///
    /// - Parameter bytes: at least what it takes now counts.
    package func limit(bytes: UInt64) throws(StoreFailure) {
        try self.perform { (file) throws(SQLiteError) in try file.database.bound(bytes: bytes) }
    }

    // MARK: For the node

    /// What a node needs to go on after a start; its cost grows with logs, not with messages.
    package func snapshot() throws(StoreFailure) -> Snapshot {
        try self.perform { (file) throws(SQLiteError) in try file.snapshot() }
    }

    /// What the user's devices have told each other in the conversation with oneself.
    package func ownEntries(
        in notes: ConversationID
    ) throws(StoreFailure) -> [StoredEntry] {
        try self.perform { (file) throws(SQLiteError) in try file.ownEntries(in: notes) }
    }

    /// Writes a batch: whole and synced to the disk when this returns, nothing of it when it
    /// throws.
    ///
    /// Traps where an append does not start right behind its log's head, or at or behind a proven
    /// fork point. A run that reaches beyond a fork point is taken whole: the entries from the
    /// point on are never shown or counted, and only attest those before it.
    package func commit(_ batch: Batch) throws(StoreFailure) -> BatchOutcome {
        if let file = self.file, file.isOnlyRead { throw StoreFailure(readOnly: file.path) }
        try self.file?.refuseDeleted()
        try self.file?.countStart()
        return try self.perform { (file) throws(SQLiteError) in try file.commit(batch) }
    }

    /// As ``commit(_:)``, but gives nil and does nothing where the commit would take long for
    /// certain: with the first one of a start, and where the write-ahead log is to be copied into
    /// the database.
    package func commitQuickly(_ batch: Batch) throws(StoreFailure) -> BatchOutcome? {
        guard let file = self.file, file.isStartCounted, file.database.isCheckpointFar else {
            return nil
        }
        return try self.commit(batch)
    }

    /// Copies the write-ahead log into the database, so that no later commit need do it.
    ///
    /// Asked for by ``BatchOutcome/isCheckpointDue``. That it fails loses nothing: the log has all,
    /// and a later commit tries it again.
    package func checkpoint() { self.file?.database.checkpoint() }

    /// Gives back the memory that makes work quick, for when there is none; what comes next reads again what
    /// it needs of it.
    package func releaseMemory() { self.file?.database.releaseMemory() }

    /// Takes what was erased out of the write-ahead log, too, where it stays until then.
    ///
    /// The database itself overwrites what it frees (`secure_delete`). False where it failed, which
    /// loses nothing; it is due again then.
    package func emptyLog() -> Bool { self.file?.database.emptyLog() ?? false }

    /// The run of a log that begins at `first` and ends at an attested entry; nil where the log has
    /// no such entry within the limits, or nothing at `first`.
    ///
    /// It ends at the first attested entry at or behind `through` that fits, else at the last one
    /// that fits. At most ``Limits/runEntries`` entries of ``Limits/runEntryBytes`` bytes. Of a
    /// forked log it reaches beyond the fork point only where no attested entry before the point
    /// covers all that come before it.
    package func run(
        _ key: LogKey, from first: UInt64, through: UInt64, entryLimit: Int = Limits.runEntries,
        byteLimit: Int = Limits.runEntryBytes
    ) throws(StoreFailure) -> Run? {
        try self.perform { (file) throws(SQLiteError) in
            try file.run(
                key, from: first, through: through, entryLimit: entryLimit, byteLimit: byteLimit)
        }
    }

    /// Runs of a log, one behind the other, as ``run(_:from:through:entryLimit:byteLimit:)`` gives
    /// them; none where that gives none.
    ///
    /// One, and more up to `through` as far as they fit into what is left of `byteLimit` bytes of
    /// frames; what is left may be too little for another one to be worth its signature. Throws what
    /// keeps the first one from being read; where it is a later one, those before it are given.
    package func runs(
        _ key: LogKey, from first: UInt64, through: UInt64, byteLimit: Int
    ) throws(StoreFailure) -> [Run] {
        var runs: [Run] = []
        var next = first
        var left = byteLimit
        var limit = Limits.runEntryBytes
        repeat {
            do throws(StoreFailure) {
                // A run that begins a log has its first entry alone.
                let end = next == 1 ? 1 : through
                let run = try self.run(key, from: next, through: end, byteLimit: limit)
                guard let run else { break }
                runs.append(run)
                next = run.last + 1
                left -= run.frameBytes
                limit = left - (Limits.runFrameBytes - Limits.runEntryBytes)
            } catch {
                guard !runs.isEmpty else { throw error }
                break
            }
        } while next <= through && limit >= Limits.runEntryBytes / 4
        return runs
    }

    /// The runs of some conversations that have come behind a place, in their order; about so many bytes of them, but
    /// one in any case.
    ///
    /// Before a run that deletes others' texts come the runs that these were in. A store keeps the runs of its own author
    /// as they were written; of others it may have several as one.
    ///
    /// - Parameter groups: which of the conversations are groups: a run of one comes with its key.
    package func runs(
        since place: ArrivalPlace, in conversations: [ConversationID: SiteScope],
        groups: Set<ConversationID> = [], by keyring: Keyring, byteLimit: Int
    ) throws(StoreFailure) -> ArrivedRuns {
        try self.perform { (file) throws(SQLiteError) in
            try file.runs(
                since: place, in: conversations, groups: groups, by: keyring, byteLimit: byteLimit)
        }
    }

    /// The runs of a log from one entry to another that are all here, in order; about so many bytes, but one in any case.
    ///
    /// Before one that deletes texts of other runs come these runs, and at the end what has emptied some, both
    /// where there is room. In a group the opening of the log, where it ends with that, comes with the run behind it.
    package func runs(
        of log: LogKey, from first: UInt64, through last: UInt64, isGroup: Bool,
        by keyring: Keyring, byteLimit: Int
    ) throws(StoreFailure) -> [ArrivedRuns.Element] {
        try self.perform { (file) throws(SQLiteError) in
            try file.runs(
                of: log, from: first, through: last, isGroup: isGroup, by: keyring,
                byteLimit: byteLimit)
        }
    }

    /// The latest edits of a message by its author that are here, as many as a deletion names beside it.
    package func latestEdits(
        of target: EntryTarget, in conversation: ConversationID
    ) throws(StoreFailure) -> [EntryTarget] {
        try self.perform { (file) throws(SQLiteError) in
            try file.latestEdits(of: target, in: conversation)
        }
    }

    /// The certificates of devices, from the logs that they have here.
    package func certificates(
        of devices: Set<PeerID>, by keyring: Keyring
    ) throws(StoreFailure) -> [PeerID: Certificate] {
        try self.perform { (file) throws(SQLiteError) in
            try file.certificates(of: devices, by: keyring)
        }
    }

    /// The next file that the owner has sent in some conversations, or the next deletion there by some devices, in the
    /// order of arrival.
    ///
    /// - Parameters:
    ///   - devices: those of the owner's person, who alone can delete the owner's messages.
    ///   - bytes: the size of the largest of these files.
    package func nextFile(
        since arrival: Int64, in conversations: Set<ConversationID>, by devices: [PeerID],
        upTo bytes: UInt64
    ) throws(StoreFailure) -> ArrivedFiles {
        try self.perform { (file) throws(SQLiteError) in
            try file.nextFile(since: arrival, in: conversations, by: devices, upTo: bytes)
        }
    }

    /// Which of some own messages with a file are deleted, while no other one of their conversation tells of it.
    package func goneFiles(_ files: [SentFile]) throws(StoreFailure) -> [SentFile] {
        try self.perform { (file) throws(SQLiteError) in try file.goneFiles(files) }
    }

    /// What is stored of the payloads of consecutive entries of a log; none where the log has no
    /// entry at `first`, or none that counts.
    ///
    /// At most ``Limits/payloadItems`` of ``Limits/runEntryBytes`` bytes of payload.
    package func payloads(
        _ key: LogKey, from first: UInt64, through: UInt64
    ) throws(StoreFailure) -> [StoredPayload] {
        try self.perform { (file) throws(SQLiteError) in
            try file.payloads(key, from: first, through: through)
        }
    }

    /// The proof that ended a log; nil for a log that goes on.
    package func forkProof(_ key: LogKey) throws(StoreFailure) -> ForkProof? {
        try self.perform { (file) throws(SQLiteError) in try file.forkProof(key) }
    }

    /// Looks for damage: in the file's pages and indexes, and in each log's chain of hashes, its
    /// attestations, its fork proof and what is counted of it.
    ///
    /// Reads everything and verifies every signature, so it takes about a minute for a million
    /// entries that were sent one by one. Gives at most 1,000 findings; none for a sound store.
    /// `judge` says what becomes of entries, as it did when they came.
    package func check(by judge: any EntryJudge) throws(StoreFailure) -> [CheckFinding] {
        try self.perform { (file) throws(SQLiteError) in file.check(by: judge) }
    }

    // MARK: Against bit rot

    /// Reads pages as they are on the disk, from a number on, and checks their checksums.
    ///
    /// Takes about 2 µs a page that the system has in memory. A round over all pages finds every
    /// flipped bit of the file.
    package func scrub(
        from first: UInt32, count: UInt32
    ) throws(StoreFailure) -> ScrubReading {
        try self.perform { (file) throws(SQLiteError) in
            try file.scrub(from: first, count: count)
        }
    }

    /// How far the round had come when this was last noted, for this file.
    package func scrubPosition() -> ScrubPosition { self.file?.scrubFile.read() ?? ScrubPosition() }

    /// Notes how far the round has come; a position that cannot be written is lost.
    package func noteScrub(_ position: ScrubPosition) { self.file?.scrubFile.write(position) }

    // MARK: For people

    /// A part of a conversation in display order: shown entries that this version can read.
    package func history(_ query: HistoryQuery) throws(StoreFailure) -> HistoryPage {
        try self.perform { (file) throws(SQLiteError) in try file.history(query) }
    }

    /// How many shown entries stand before a place, of so many at most.
    package func count(
        before position: DisplayPosition, _ query: HistoryQuery, limit: Int
    ) throws(StoreFailure) -> Int {
        try self.perform { (file) throws(SQLiteError) in
            try file.count(before: position, query, limit: limit)
        }
    }

    /// An entry by its id, whatever its state; nil where it is not stored.
    ///
    /// Its cursor is 0 while it is held, and where it never was shown.
    package func entry(_ id: EntryID) throws(StoreFailure) -> StoredEntry? {
        try self.perform { (file) throws(SQLiteError) in try file.entry(id) }
    }

    /// The entries of these ids that are stored, as ``entry(_:)`` gives each.
    package func entries(_ ids: [EntryID]) throws(StoreFailure) -> [EntryID: StoredEntry] {
        try self.perform { (file) throws(SQLiteError) in
            var found: [EntryID: StoredEntry] = [:]
            for id in ids { found[id] = try file.entry(id) }
            return found
        }
    }

    /// The entries whose ids begin as was typed; of more than two only two.
    package func entries(beginning prefix: EntryIDPrefix) throws(StoreFailure) -> [StoredEntry] {
        try self.perform { (file) throws(SQLiteError) in try file.entries(beginning: prefix) }
    }

    /// One line for each conversation of which anything is known, ordered by id.
    ///
    /// - Parameter topicsBy: whose topics count, where it is not everybody's.
    package func summaries(
        topicsBy authors: [ConversationID: Set<PeerID>] = [:]
    ) throws(StoreFailure) -> [ConversationSummary] {
        try self.perform { (file) throws(SQLiteError) in try file.summaries(topicsBy: authors) }
    }

    /// Notes that the user has read a conversation up to a cursor; never moves back.
    package func markRead(
        _ conversation: ConversationID, through cursor: Cursor
    ) throws(StoreFailure) {
        try self.perform { (file) throws(SQLiteError) in
            try file.markRead(conversation, through: cursor)
        }
    }

    /// The messages of logs that stand behind an entry.
    package func waiting(
        behind places: [(key: LogKey, seq: UInt64)]
    ) throws(StoreFailure) -> WaitingMessages {
        try self.perform { (file) throws(SQLiteError) in try file.waiting(behind: places) }
    }

    /// What conversations take, those first that take most, at most so many.
    package func usage(limit: Int) throws(StoreFailure) -> [ConversationUsage] {
        try self.perform { (file) throws(SQLiteError) in try file.usage(limit: limit) }
    }

    /// How many messages would go from this disk by bounds, and how many bytes they take; nothing goes.
    package func expiring(
        in conversation: ConversationID, before: HybridTime?, _ size: Expiry?
    ) throws(StoreFailure) -> (messages: Int, bytes: Int64) {
        try self.perform { (file) throws(SQLiteError) in
            try file.expiring(in: conversation, before: before, size)
        }
    }

    /// How much is stored; does not count rows of messages.
    package func counts() throws(StoreFailure) -> StoreCounts {
        try self.perform { (file) throws(SQLiteError) in try file.counts() }
    }

    // MARK: For scripts

    /// Shown entries that arrived behind a cursor, in that order, of one conversation or of all; where
    /// that is wanted, without those that are sealed, or that stand beside the conversation: edits,
    /// reactions and streams.
    ///
    /// With notices, what the node noted beside entries comes too, in an order of its own; those that
    /// were forgotten (``Limits/notices``) do not.
    ///
    /// One call gives at most `limit` entries of `byteLimit` payload bytes (but one whatever its
    /// size) and looks at a bounded number of rows, 8,192 without a `rowLimit`; ask again from
    /// ``Arrivals/through`` while ``Arrivals/hasMore``.
    package func entries(
        after cursor: Cursor, limit: Int, in conversation: ConversationID? = nil,
        withNotices: Bool = false, withBeside: Bool = true, withSealed: Bool = true,
        byteLimit: Int = 1_048_576, rowLimit: Int? = nil
    ) throws(StoreFailure) -> Arrivals {
        try self.perform { (file) throws(SQLiteError) in
            try file.entries(
                after: cursor, limit: limit, conversation: conversation, withNotices: withNotices,
                withBeside: withBeside, withSealed: withSealed, byteLimit: byteLimit,
                rowLimit: rowLimit ?? StoreFile.scanLimit)
        }
    }

    /// The newest cursor that was given; 0 in an empty store.
    package func newestCursor() throws(StoreFailure) -> Cursor {
        try self.perform { (file) throws(SQLiteError) in try file.newestCursor() }
    }

    /// The own entry that was sent under an idempotency key of a conversation; nil where none is
    /// remembered.
    ///
    /// Keys are remembered for 30 days, and no more than the newest million.
    package func lookUp(
        idempotencyKey key: String, in conversation: ConversationID
    ) throws(StoreFailure) -> StoredEntry? {
        try self.perform { (file) throws(SQLiteError) in try file.lookUp(key, in: conversation) }
    }

    // MARK: Files

    /// Whether an entry of a conversation tells of a file.
    package func isAttached(
        _ blob: BlobID, in conversation: ConversationID
    ) throws(StoreFailure) -> Bool {
        try self.perform { (file) throws(SQLiteError) in
            try file.size(of: blob, in: conversation) != nil
        }
    }

    /// The size of a file as a conversation tells of it; nil where no entry of it does.
    package func size(
        of blob: BlobID, in conversation: ConversationID
    ) throws(StoreFailure) -> UInt64? {
        try self.perform { (file) throws(SQLiteError) in
            try file.size(of: blob, in: conversation)
        }
    }

    /// In which conversations a file is told of, once each, and its size as it is told there; none where
    /// no entry does.
    package func attachments(of blob: BlobID) throws(StoreFailure) -> [FileAttachment] {
        try self.perform { (file) throws(SQLiteError) in try file.attachments(of: blob) }
    }

    /// A message that tells of a file, the first that came; nil where none does.
    package func entry(attaching blob: BlobID) throws(StoreFailure) -> StoredEntry? {
        try self.perform { (file) throws(SQLiteError) in try file.entry(attaching: blob) }
    }

    // MARK: Durable consumers

    /// Up to where a durable consumer has acknowledged; nil for one that never has.
    ///
    /// A consumer has one position for each conversation that it reads by itself, and one for all
    /// together (nil), which know nothing of each other. Read on from it with
    /// ``entries(after:limit:in:withNotices:byteLimit:rowLimit:)`` and the same conversation.
    package func consumer(
        _ name: String, in conversation: ConversationID? = nil
    ) throws(StoreFailure) -> Cursor? {
        try self.perform { (file) throws(SQLiteError) in try file.consumer(name, in: conversation) }
    }

    /// Notes that a durable consumer has processed everything of a conversation, or of all, up to a
    /// cursor; never moves back.
    package func acknowledge(
        consumer name: String, in conversation: ConversationID? = nil, cursor: Cursor
    ) throws(StoreFailure) {
        try self.perform { (file) throws(SQLiteError) in
            try file.acknowledge(name, in: conversation, cursor)
        }
    }

    /// The positions of all durable consumers, by name, then the one for all conversations first.
    package func consumers() throws(StoreFailure) -> [ConsumerPosition] {
        try self.perform { (file) throws(SQLiteError) in try file.consumers() }
    }

    /// Forgets all positions of a durable consumer; false where it has none.
    package func removeConsumer(_ name: String) throws(StoreFailure) -> Bool {
        try self.perform { (file) throws(SQLiteError) in try file.removeConsumer(name) }
    }
}
