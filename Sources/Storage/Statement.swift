internal import CSQLite
internal import Noise

/// A prepared statement that is kept and used again; belongs to one connection and one thread.
///
/// Parameters count from 1 and columns from 0, as in SQLite. A statement that has been stepped must
/// be reset before it is bound again; ``run()`` and ``forEach(_:)`` do so themselves.
/// <https://www.sqlite.org/c3ref/stmt.html>
final class Statement {
    private let handle: OpaquePointer

    /// Compiles one statement; sqlite3_prepare_v3.
    init(_ sql: String, on connection: OpaquePointer) throws(SQLiteError) {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            connection, sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else {
            throw SQLiteError(connection: connection, code: code, sql: sql)
        }
        self.handle = handle
    }

    deinit {
        // The result repeats the error of the last step, which was thrown then.
        sqlite3_finalize(self.handle)
    }

    private var sql: String { sqlite3_sql(self.handle).map { String(cString: $0) } ?? "" }

    @inline(never)
    private func error(_ code: Int32) -> SQLiteError {
        SQLiteError(connection: sqlite3_db_handle(self.handle), code: code, sql: self.sql)
    }

    @inline(__always)
    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else {
            // A parameter that does not exist, or a statement not reset, is our own mistake.
            precondition(code != SQLITE_RANGE && code != SQLITE_MISUSE)
            throw self.error(code)
        }
    }

    // MARK: Parameters

    /// Binds an integer; sqlite3_bind_int64.
    func bind(_ index: Int32, _ value: Int64) throws(SQLiteError) {
        try self.check(sqlite3_bind_int64(self.handle, index, value))
    }

    /// Binds an integer or NULL.
    func bind(_ index: Int32, _ value: Int64?) throws(SQLiteError) {
        if let value {
            try self.bind(index, value)
        } else {
            try self.check(sqlite3_bind_null(self.handle, index))
        }
    }

    /// Binds bytes, which are copied; sqlite3_bind_blob.
    func bind(_ index: Int32, _ value: RawSpan) throws(SQLiteError) {
        let code = value.withUnsafeBytes { buffer in
            // A null pointer would bind NULL where an empty blob is meant.
            buffer.isEmpty
                ? sqlite3_bind_zeroblob(self.handle, index, 0)
                : csqlite_bind_blob_transient(
                    self.handle, index, buffer.baseAddress, Int32(buffer.count))
        }
        try self.check(code)
    }

    /// Binds bytes, which are copied.
    func bind(_ index: Int32, _ value: [UInt8]) throws(SQLiteError) {
        try self.bind(index, value.span.bytes)
    }

    /// Binds bytes or NULL.
    func bind(_ index: Int32, _ value: [UInt8]?) throws(SQLiteError) {
        if let value {
            try self.bind(index, value.span.bytes)
        } else {
            try self.check(sqlite3_bind_null(self.handle, index))
        }
    }

    /// Binds 32 bytes.
    func bind(_ index: Int32, _ value: Bytes32) throws(SQLiteError) {
        try value.withBytes { (bytes) throws(SQLiteError) in try self.bind(index, bytes) }
    }

    /// Binds 64 bytes or NULL.
    func bind(_ index: Int32, _ value: Bytes64?) throws(SQLiteError) {
        if let value {
            try value.withBytes { (bytes) throws(SQLiteError) in try self.bind(index, bytes) }
        } else {
            try self.check(sqlite3_bind_null(self.handle, index))
        }
    }

    /// Binds a text, which is copied; sqlite3_bind_text.
    func bind(_ index: Int32, text value: String) throws(SQLiteError) {
        var value = value
        let code = value.withUTF8 { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                csqlite_bind_text_transient(
                    self.handle, index, text.baseAddress, Int32(text.count))
            }
        }
        try self.check(code)
    }

    // MARK: Running

    /// Runs to the next row: true when there is one, false at the end; sqlite3_step.
    ///
    /// A statement that fails is reset.
    func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(self.handle) {
        case SQLITE_ROW: return true
        case SQLITE_DONE: return false
        case let code:
            precondition(code != SQLITE_MISUSE)
            let error = self.error(code)
            self.reset()
            throw error
        }
    }

    /// Makes the statement ready for another run; bindings stay; sqlite3_reset.
    func reset() {
        // The result repeats the error of the last step, which was thrown then.
        _ = sqlite3_reset(self.handle)
    }

    /// Runs a statement that gives no rows.
    func run() throws(SQLiteError) {
        let hasRow = try self.step()
        self.reset()
        precondition(!hasRow)
    }

    /// Runs `body` on each row, and resets; also when `body` throws.
    func forEach(_ body: (Statement) throws(SQLiteError) -> Void) throws(SQLiteError) {
        defer { self.reset() }
        while try self.step() { try body(self) }
    }

    /// Reads the first row, or nil where there is none, and resets.
    func first<R>(_ body: (Statement) throws(SQLiteError) -> R) throws(SQLiteError) -> R? {
        defer { self.reset() }
        return try self.step() ? try body(self) : nil
    }

    // MARK: Columns

    /// An integer column; 0 for NULL; sqlite3_column_int64.
    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(self.handle, column) }

    /// Whether a column is NULL.
    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(self.handle, column) == SQLITE_NULL
    }

    /// An integer column that may be NULL.
    func optionalInt(_ column: Int32) -> Int64? { self.isNull(column) ? nil : self.int(column) }

    /// Lends a blob column; no bytes for NULL; sqlite3_column_blob.
    func withBytes<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        // The pointer is asked for before the length, as SQLite's documentation demands.
        let start = sqlite3_column_blob(self.handle, column)
        let count = Int(sqlite3_column_bytes(self.handle, column))
        return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// A blob column; empty for NULL.
    func bytes(_ column: Int32) -> [UInt8] { self.withBytes(column) { Array($0) } }

    /// A blob column that may be NULL.
    func optionalBytes(_ column: Int32) -> [UInt8]? {
        self.isNull(column) ? nil : self.bytes(column)
    }

    /// A column of exactly 32 bytes.
    func bytes32(_ column: Int32) throws(SQLiteError) -> Bytes32 {
        guard let value = self.withBytes(column, { Bytes32($0.bytes) }) else {
            throw .damaged("a 32-byte column has another length")
        }
        return value
    }

    /// A column of exactly 64 bytes, or NULL.
    func optionalBytes64(_ column: Int32) throws(SQLiteError) -> Bytes64? {
        if self.isNull(column) { return nil }
        guard let value = self.withBytes(column, { Bytes64($0.bytes) }) else {
            throw .damaged("a 64-byte column has another length")
        }
        return value
    }

    /// A text column; empty for NULL.
    func text(_ column: Int32) -> String {
        self.withBytes(column) { String(decoding: $0, as: UTF8.self) }
    }
}
