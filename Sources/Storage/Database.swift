internal import CPages
internal import CSQLite
internal import Glibc
internal import Formats

#if MUTANTS
    internal import Engine
#endif

/// One connection to a SQLite file, used by one thread at a time.
///
/// <https://www.sqlite.org/c3ref/intro.html>
final class Database {
    private let handle: OpaquePointer
    private var keptBoundaries: (begin: Statement, commit: Statement)?
    private let journal = Journal()
    /// How large the file may become; nil for any size.
    var bound: PageBound?
    /// What statements that are made from here on read and write sealed columns with; nil in a file from before
    /// there were any.
    var columns: ColumnSafe?

    /// How long the write-ahead log is.
    private final class Journal {
        var pages: Int32 = 0

        /// Copies it into the database, as far as that works; sqlite3_wal_checkpoint_v2.
        @discardableResult
        func checkpoint(
            _ handle: OpaquePointer?, _ name: UnsafePointer<CChar>?,
            mode: Int32 = SQLITE_CHECKPOINT_PASSIVE
        ) -> Bool {
            let code = sqlite3_wal_checkpoint_v2(handle, name, mode, nil, nil)
            // The commit behind a checkpoint starts the log anew.
            if code == SQLITE_OK { self.pages = 0 }
            return code == SQLITE_OK
        }
    }

    /// 4 MiB: a checkpoint costs two syncs, so it comes after hundreds of commits, not tens; and SQLite
    /// passes all versions of a page in the log where it notes another one.
    private static let checkpointPages: Int32 = 2_048
    /// 512 KiB, which take a millisecond or two.
    private static let shortCheckpointPages: Int32 = 256
    /// More than a few messages change.
    private static let nearPages: Int32 = 128

    /// Switches SQLite's own count of memory off, once per process: nobody asks for it, and it costs
    /// a lock at every allocation; sqlite3_config.
    private static let settings: Void = {
        // It fails where SQLite is in use already, and then the count stays on.
        _ = csqlite_config(SQLITE_CONFIG_MEMSTATUS, 0)
        // Where this fails no file can be opened, which says so.
        _ = cpages_register()
    }()

    /// Opens a file for reading and writing; it must exist; sqlite3_open_v2.
    ///
    /// Its pages have checksums, which are checked when they are read; `isPlain` leaves them out. With `isReadOnly`
    /// it is opened only to be read, on a file system where nothing can change it.
    init(
        path: String, isPlain: Bool = false, isReadOnly: Bool = false
    ) throws(SQLiteError) {
        Self.settings
        var handle: OpaquePointer?
        let flags =
            (isReadOnly ? SQLITE_OPEN_READONLY : SQLITE_OPEN_READWRITE) | SQLITE_OPEN_NOMUTEX
            | SQLITE_OPEN_PRIVATECACHE | SQLITE_OPEN_EXRESCODE
        let code = sqlite3_open_v2(path, &handle, flags, isPlain ? nil : CPAGES_VFS_NAME)
        guard code == SQLITE_OK, let handle else {
            var error = SQLiteError(connection: handle, code: code, sql: "sqlite3_open_v2")
            if let handle { error.systemError = sqlite3_system_errno(handle) }
            // A connection that could not be opened still has to be closed.
            sqlite3_close_v2(handle)
            throw error
        }
        self.handle = handle
        // SQLite opens a file that it may not write for reading; then no lock can be had on it.
        guard isReadOnly || sqlite3_db_readonly(handle, "main") == 0 else {
            throw SQLiteError(
                extendedCode: SQLITE_READONLY, message: "the file or its directory is read-only",
                sql: "sqlite3_db_readonly")
        }
        guard !isPlain, !isReadOnly else { return }
        // Both count for a file that is empty; the first would undo the second.
        try self.execute("PRAGMA page_size = \(CPAGES_PAGE_BYTES)")
        var reserved = CPAGES_RESERVED_BYTES
        try self.control(SQLITE_FCNTL_RESERVE_BYTES, &reserved)
    }

    /// Copies the write-ahead log into the database whenever a commit has made it long, as SQLite's
    /// own automatic does, but lets its length be known; sqlite3_wal_hook.
    ///
    /// A checkpoint that fails is tried again with the next commit; the log has everything.
    func checkpointAutomatically() {
        sqlite3_wal_hook(
            self.handle,
            { journal, handle, name, pages in
                guard let journal else { return SQLITE_OK }
                // The connection keeps it for as long as it can call this.
                let own = Unmanaged<Journal>.fromOpaque(journal).takeUnretainedValue()
                own.pages = pages
                if pages >= Database.checkpointPages { own.checkpoint(handle, name) }
                return SQLITE_OK
            }, Unmanaged.passUnretained(self.journal).toOpaque())
    }

    /// Copies the write-ahead log into the database, as far as that works.
    func checkpoint() { self.journal.checkpoint(self.handle, nil) }

    /// Copies the write-ahead log into the database and cuts it to nothing, so that what was erased is
    /// in neither.
    ///
    /// False where that failed. `SQLITE_CHECKPOINT_TRUNCATE`.
    func emptyLog() -> Bool {
        self.journal.checkpoint(self.handle, nil, mode: SQLITE_CHECKPOINT_TRUNCATE)
    }

    /// Gives back the pages that are kept in memory: sqlite3_db_release_memory.
    func releaseMemory() { sqlite3_db_release_memory(self.handle) }

    /// Whether a checkpoint would be worth its syncs, and is short still.
    var isCheckpointDue: Bool { self.journal.pages >= Self.shortCheckpointPages }

    /// Whether some hundred kilobytes can be committed without a checkpoint.
    var isCheckpointFar: Bool {
        self.journal.pages < Self.checkpointPages - Self.nearPages
    }

    deinit {
        // Waits for statements that are finalized after this.
        sqlite3_close_v2(self.handle)
    }

    /// Runs one or more statements without parameters and ignores their rows; sqlite3_exec.
    func execute(_ sql: String) throws(SQLiteError) {
        let code = sqlite3_exec(self.handle, sql, nil, nil, nil)
        guard code == SQLITE_OK else {
            throw SQLiteError(connection: self.handle, code: code, sql: sql)
        }
    }

    /// Compiles a statement that is kept.
    func prepare(_ sql: String) throws(SQLiteError) -> Statement {
        let statement = self.statement(sql)
        try statement.compile()
        return statement
    }

    /// A statement that is compiled when it is first used.
    func statement(_ sql: String) -> Statement { Statement(sql, on: self.handle, self.columns) }

    /// The first column of the first row as an integer; 0 where there is no row.
    func int(_ sql: String) throws(SQLiteError) -> Int64 {
        try self.prepare(sql).int() ?? 0
    }

    /// The first column of the first row as a text; empty where there is no row.
    func text(_ sql: String) throws(SQLiteError) -> String {
        try self.prepare(sql).first { (row) throws(SQLiteError) in row.text } ?? ""
    }

    /// Switches a setting of the connection; sqlite3_db_config.
    func configure(_ option: Int32, _ value: Int32) throws(SQLiteError) {
        let code = csqlite_db_config(self.handle, option, value)
        guard code == SQLITE_OK else {
            throw SQLiteError(connection: self.handle, code: code, sql: "sqlite3_db_config")
        }
    }

    /// Asks the file; sqlite3_file_control.
    func control<Value>(_ operation: Int32, _ value: inout Value) throws(SQLiteError) {
        let code = withUnsafeMutablePointer(to: &value) { pointer in
            sqlite3_file_control(self.handle, "main", operation, pointer)
        }
        guard code == SQLITE_OK else {
            throw SQLiteError(connection: nil, code: code, sql: "sqlite3_file_control")
        }
    }

    /// Whether the file is no longer what its name stands for; `SQLITE_FCNTL_HAS_MOVED`.
    func hasMoved() throws(SQLiteError) -> Bool {
        var result: Int32 = 0
        try self.control(SQLITE_FCNTL_HAS_MOVED, &result)
        return result != 0
    }

    /// The `errno` behind the last failed call; sqlite3_system_errno.
    var systemError: Int32 { sqlite3_system_errno(self.handle) }

    /// What is behind an error of this connection, with its `errno` or 0.
    ///
    /// SQLite calls a file damaged also where the disk failed to read it, and keeps the `errno` to
    /// the file; whoever believed that would move a sound store away. `SQLITE_FCNTL_LAST_ERRNO`,
    /// <https://www.sqlite.org/c3ref/c_fcntl_begin_atomic_write.html>.
    func cause(of error: SQLiteError) -> (error: SQLiteError, systemError: Int32) {
        guard error.code == SQLITE_CORRUPT else { return (error, self.systemError) }
        for last in [csqlite_last_errno(self.handle), csqlite_last_log_errno(self.handle)]
        where [EIO, ENXIO, ERANGE].contains(last) {
            let reason = strerror(last).map { String(cString: $0) } ?? "error \(last)"
            return (
                SQLiteError(
                    extendedCode: SQLITE_IOERR, message: "it cannot be read: \(reason)",
                    sql: error.sql), last
            )
        }
        return (error, 0)
    }

    /// Whether a transaction is open; sqlite3_get_autocommit.
    var isInTransaction: Bool { sqlite3_get_autocommit(self.handle) == 0 }

    /// The statements around a transaction, compiled at the first one.
    private func boundaries() throws(SQLiteError) -> (begin: Statement, commit: Statement) {
        if let kept = self.keptBoundaries { return kept }
        let made = (
            begin: try self.prepare("BEGIN IMMEDIATE"), commit: try self.prepare("COMMIT")
        )
        self.keptBoundaries = made
        return made
    }

    /// Runs `body` in a transaction: all of it or nothing.
    ///
    /// Where `body` or the commit throws, the transaction has been rolled back and the connection
    /// is usable. <https://www.sqlite.org/lang_transaction.html>
    func transaction<R>(_ body: () throws(SQLiteError) -> R) throws(SQLiteError) -> R {
        let (begin, commit) = try self.boundaries()
        try begin.run()
        do {
            let result = try body()
            try commit.run()
            return result
        } catch {
            #if MUTANTS
                if Mutant.keepFailedBatches.isActive { try? self.execute("COMMIT") }
            #endif
            // Some errors roll back by themselves; a rollback that fails leaves nothing to undo.
            if self.isInTransaction { try? self.execute("ROLLBACK") }
            throw error
        }
    }
}
