internal import CSQLite
internal import Engine
internal import Formats
internal import Crypto
internal import Glibc

/// The open database with its continuity file: everything that the store does, on one thread.
///
/// Not `Sendable`; ``MessageStore`` owns it. Errors are `SQLiteError`s up to the actor, which turns
/// them into `StoreFailure`s with the file's name. All that lives here between calls is derived
/// from the file, so that a failed call leaves nothing to repair.
final class StoreFile {
    let path: String
    let database: Database
    let statements: Statements
    let owner: PeerID
    /// What the continuity file was told; its mark moves with own commits.
    private var continuity: Continuity
    /// Whether store and continuity file know of this start.
    private(set) var isStartCounted = false
    private let continuityFile: ContinuityFile
    /// Keeps how far the scrub has come.
    let scrubFile: ScrubFile
    /// What stood at the end of the write-ahead log and was left out, in words.
    let leftOut: String?
    /// Whether the file was made now, though the owner had one.
    let isAfterLoss: Bool
    /// Whether its file system takes no writes.
    let isOnlyRead: Bool
    /// How many entries are held; counted at the start, then kept.
    var heldCount: Int
    // A row stays, with its id, once it is committed.
    var knownConversations = KnownRows<ConversationID, Int64>()
    var knownAuthors = KnownRows<PeerID, Int64>()
    /// The rows of those whom the user has blocked; nil until they are needed.
    var blockedAuthors: Set<Int64>?
    /// Whether entries here name others; nil until that is needed.
    var isAnythingNamed: Bool?
    /// Rows as appends have left them; whatever else changes one forgets them.
    var knownLogs = KnownRows<LogPlace, LogRow>()
    /// What the last commit left for the next to begin with; nil where that has to be read.
    var numbering: Numbering?
    /// The ids that the table lacks; nil until they are needed.
    var recentIDs: RecentIDs?
    /// Up to which arrival number the table had all when that was last read, while they are not needed.
    var indexedIDs: Int64?
    /// How many of them gather.
    let idBatchCount: Int
    /// When the file was last looked for under its name, in seconds; see ``refuseDeleted()``.
    private var lookedForAt = 0
    private var isDeleted = false

    /// Opens the store for an owner, and makes what is missing.
    ///
    /// See ``MessageStore/open(directory:continuity:owner:safe:executor:identify:)``.
    init(
        directory: String, continuity continuityPath: String, owner: PeerID, safe: Safe,
        idBatchCount: Int = RecentIDs.batchCount, identify: (String) -> StoreFileIdentity?
    ) throws(StoreFailure) {
        let path = "\(directory)/\(StoreDirectory.databaseName)"
        self.path = path
        self.owner = owner
        self.isOnlyRead = false
        self.idBatchCount = idBatchCount
        try RepairedFile(database: path).finish()
        // A repair that was killed leaves a copy, which may be from before anything was sealed.
        RepairedFile(database: path).clean()
        try StoreDirectory.refuseEarlier(path)
        self.leftOut = try WriteAheadLog.refuseDamage(database: path)
        self.continuityFile = ContinuityFile(path: continuityPath)
        let seen = self.continuityFile.read()
        let isNew = try StoreDirectory.createDatabase(path, in: directory)
        let database = try Self.translating(path, nil) { () throws(SQLiteError) in
            try Database(path: path)
        }
        self.database = database
        // What a continuity file has seen was not empty.
        let wasSeen = seen?.owner == owner
        self.isAfterLoss = isNew && wasSeen
        try Self.prepare(database, path: path, safe, mayBeEmpty: isNew || !wasSeen)
        let found = identify(path)
        self.scrubFile = ScrubFile(path: continuityPath + ".scrub", inode: found?.inode ?? 0)
        let stored = try Self.translating(path, database) { () throws(SQLiteError) in
            try Self.story(database, identity: found)
        }
        let isProven =
            found != nil && stored?.owner == owner
            && Continuity.isProven(store: stored, file: seen)
        self.continuity =
            stored
            ?? Continuity(
                owner: owner, starts: 0, token: .zero, inode: found?.inode ?? 0,
                birthNanoseconds: found?.birthNanoseconds, mark: 0)
        self.continuity.owner = owner
        self.continuity.starts = max(stored?.starts ?? 0, seen?.starts ?? 0)
        self.statements = Statements(database)
        self.heldCount = 0
        if isProven {
            try self.continuityFile.resume(self.continuity)
        } else {
            try self.countStart(endsIncarnation: true)
        }
        self.heldCount = try Self.translating(path, database) { () throws(SQLiteError) in
            try self.statements.entries.countHeld.int().map { Int($0) } ?? 0
        }
    }

    /// Opens the store on a file system that is read-only; counts no start.
    init(readingIn directory: String, owner: PeerID, safe: Safe) throws(StoreFailure) {
        let path = "\(directory)/\(StoreDirectory.databaseName)"
        self.path = path
        self.owner = owner
        self.isOnlyRead = true
        self.idBatchCount = RecentIDs.batchCount
        try StoreDirectory.refuseEarlier(path)
        self.leftOut = try WriteAheadLog.refuseDamage(database: path)
        let database = try Self.translating(path, nil) { () throws(SQLiteError) in
            try Database(path: path, isReadOnly: true)
        }
        self.database = database
        let version = try Self.translating(path, database) { () throws(SQLiteError) in
            try Self.configure(database)
            return try Self.version(of: database)
        }
        guard let version, version == Schema.version else {
            throw version.map {
                $0 < Schema.version
                    ? StoreFailure(older: $0, path: path) : StoreFailure(newer: $0, path: path)
            } ?? StoreFailure(foreign: path)
        }
        database.columns = ColumnSafe(safe: safe)
        self.continuityFile = ContinuityFile(path: "")
        self.isAfterLoss = false
        self.scrubFile = ScrubFile(path: "", inode: 0)
        self.continuity = Continuity(
            owner: owner, starts: 0, token: .zero, inode: 0, birthNanoseconds: nil, mark: 0)
        (self.statements, self.heldCount) = try Self.translating(path, database) {
            () throws(SQLiteError) in
            let statements = Statements(database)
            return (
                statements, try statements.entries.countHeld.int().map { Int($0) } ?? 0
            )
        }
    }

    /// Opens a file that no node runs on, to check it or to fill it; counts no start.
    init(offlineAt path: String, owner: PeerID, safe: Safe) throws(StoreFailure) {
        self.path = path
        self.owner = owner
        self.isOnlyRead = false
        self.idBatchCount = RecentIDs.batchCount
        let database = try Self.translating(path, nil) { () throws(SQLiteError) in
            try Database(path: path)
        }
        self.database = database
        try Self.prepare(database, path: path, safe, isWritten: false)
        self.continuityFile = ContinuityFile(path: "")
        self.leftOut = nil
        self.isAfterLoss = false
        self.scrubFile = ScrubFile(path: "", inode: 0)
        self.continuity = Continuity(
            owner: owner, starts: 0, token: .zero, inode: 0, birthNanoseconds: nil, mark: 0)
        (self.statements, self.heldCount) = try Self.translating(
            path, database
        ) {
            () throws(SQLiteError) in
            if try database.int("PRAGMA user_version") == 0 { try Schema.create(database) }
            let statements = Statements(database)
            return (
                statements,
                try statements.entries.countHeld.int().map { Int($0) } ?? 0
            )
        }
    }

    /// Runs `body` and gives its SQLite error the file's name and the cause.
    static func translating<R>(
        _ path: String, _ database: Database?, _ body: () throws(SQLiteError) -> R
    ) throws(StoreFailure) -> R {
        do throws(SQLiteError) {
            return try body()
        } catch {
            let (cause, systemError) =
                database?.cause(of: error) ?? (error, error.systemError)
            let failure = StoreFailure(cause, path: path, systemError: systemError)
            throw database?.naming(failure) ?? failure
        }
    }

    // MARK: Opening

    /// Checks what the file is, takes its lock, sets the connection up and makes the tables.
    private static func prepare(
        _ database: Database, path: String, _ safe: Safe, isWritten: Bool = true,
        mayBeEmpty: Bool = true
    ) throws(StoreFailure) {
        let version = try Self.translating(path, database) { () throws(SQLiteError) in
            try Self.configure(database)
            return try Self.version(of: database)
        }
        guard let version, version <= Schema.version else {
            // Its log stays as it is, too.
            try Self.translating(path, database) { () throws(SQLiteError) in
                try database.configure(SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1)
            }
            throw version.map { StoreFailure(newer: $0, path: path) } ?? StoreFailure(foreign: path)
        }
        // A file of an earlier version that is only checked is read as it is.
        if isWritten || version == 0 || version >= Schema.sealedVersion {
            database.columns = ColumnSafe(safe: safe)
        }
        guard version > 0 || mayBeEmpty else {
            throw StoreFailure(
                reason: .emptied, detail: "\(path) is empty, but there was a store in it",
                path: path)
        }
        try Self.translating(path, database) { () throws(SQLiteError) in
            // A file of another program or a later version has not been written to up to here.
            let mode = try database.text("PRAGMA journal_mode = WAL")
            guard mode == "wal" else {
                throw SQLiteError(
                    extendedCode: SQLITE_CANTOPEN, message: "the journal mode is \(mode)",
                    sql: "PRAGMA journal_mode = WAL")
            }
            try database.execute("PRAGMA synchronous = FULL")
            #if MUTANTS
                if Mutant.syncNothing.isActive {
                    try database.execute("PRAGMA synchronous = OFF")
                }
            #endif
            guard isWritten else { return }
            if version == 0 {
                try Schema.create(database)
            } else {
                try Schema.migrate(database, from: version)
            }
        }
    }

    private static func configure(_ database: Database) throws(SQLiteError) {
        try database.configure(SQLITE_DBCONFIG_DEFENSIVE, 1)
        database.checkpointAutomatically()
        try database.execute(
            """
            PRAGMA locking_mode = EXCLUSIVE;
            PRAGMA foreign_keys = ON;
            PRAGMA secure_delete = ON;
            PRAGMA trusted_schema = OFF;
            PRAGMA cell_size_check = ON;
            PRAGMA temp_store = MEMORY;
            PRAGMA cache_size = -\(Self.cacheKibibytes);
            PRAGMA journal_size_limit = \(Self.journalBytes);
            """)
    }

    /// The upper levels of all indexes of a million entries, and what a batch of 2,048 changes.
    private static let cacheKibibytes = 8_192
    /// What a burst left behind in the log file is given back.
    private static let journalBytes = 33_554_432

    /// The schema version; 0 for an empty file, nil for a database that is not ours.
    private static func version(of database: Database) throws(SQLiteError) -> Int? {
        let application = try database.int("PRAGMA application_id")
        let version = Int(try database.int("PRAGMA user_version"))
        if application == Schema.applicationID { return version }
        let objects = try database.int("SELECT count(*) FROM sqlite_master")
        return application == 0 && version == 0 && objects == 0 ? 0 : nil
    }

    /// What the database tells of the last start that wrote to it; nil where none has.
    private static func story(
        _ database: Database, identity: StoreFileIdentity?
    ) throws(SQLiteError) -> Continuity? {
        let mark = try database.int(Statements.markSQL)
        return try database.prepare("SELECT owner, starts, token FROM state").first {
            (row) throws(SQLiteError) in
            Continuity(
                owner: PeerID(try row.bytes32(.owner)), starts: UInt64(stored: row.int(.starts)),
                token: try row.bytes32(.token), inode: identity?.inode ?? 0,
                birthNanoseconds: identity?.birthNanoseconds, mark: mark)
        }
    }

    /// Counts this start in the store and in its continuity file, before anything else is written.
    ///
    /// A start that finds continuity proven does so with its first commit: up to there both sides
    /// tell the same story as before, and nothing has grown that a copy from then would lack.
    func countStart(endsIncarnation: Bool = false) throws(StoreFailure) {
        guard !self.isStartCounted else { return }
        var next = self.continuity
        next.starts &+= 1
        var random = SystemRandomNumberGenerator()
        var token: [UInt8] = []
        for _ in 0..<Bytes32.byteCount { token.append(.random(in: 0...255, using: &random)) }
        next.token = Bytes32(token) ?? .zero
        try Self.translating(self.path, self.database) { () throws(SQLiteError) in
            try self.database.transaction { () throws(SQLiteError) in
                // The incarnation goes in the same transaction: otherwise the next start would find
                // both sides equal again and go on in the log that this start gave up.
                let write = try self.database.prepare(
                    """
                    INSERT INTO state (one, owner, starts, token)
                    VALUES (1, :owner, :starts, :token)
                    ON CONFLICT (one) DO UPDATE SET owner = :owner, starts = :starts,
                        token = :token, incarnation = iif(:ends, NULL, incarnation)
                    """)
                try write.bind(.owner, next.owner.key).bind(.starts, next.starts.stored)
                    .bind(.token, next.token).bind(.ends, endsIncarnation ? 1 : 0).run()
            }
        }
        // The database has the new start before the continuity file. A crash in between leaves the
        // two apart, which costs a new incarnation that was not needed, and never continues one
        // that was lost. Where the continuity file cannot be written, the next try makes both anew.
        try self.continuityFile.replace(with: next)
        self.continuity = next
        self.isStartCounted = true
        // That it fails loses nothing: the next start tries it again.
        try? self.sweepAuthors()
    }

    /// Refuses to write to a file that was deleted or moved away, as with its directory: nobody
    /// would find it again.
    ///
    /// Asks the system once a second at most, for one call of stat(2); so a commit within the first
    /// second may still be lost.
    func refuseDeleted() throws(StoreFailure) {
        var now = timespec()
        clock_gettime(CLOCK_MONOTONIC_COARSE, &now)
        guard self.isDeleted || now.tv_sec != self.lookedForAt else { return }
        self.lookedForAt = now.tv_sec
        self.isDeleted = try Self.translating(self.path, self.database) {
            () throws(SQLiteError) in try self.database.hasMoved()
        }
        guard self.isDeleted else { return }
        throw StoreFailure(
            reason: .deleted, detail: "\(self.path) was deleted or moved away while it is open",
            path: self.path)
    }

    // MARK: Own commits

    /// Tells the continuity file that own logs have grown.
    func noteOwnCommit(mark: Int64) {
        #if MUTANTS
            if Mutant.forgetMark.isActive { return }
        #endif
        self.continuity.mark = mark
        self.continuityFile.note(self.continuity)
    }
}
