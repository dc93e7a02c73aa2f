internal import CSQLite
internal import Crypto

/// A statement that is compiled once and used again; belongs to one connection and one thread.
///
/// Parameters count from 1 and columns from 0, as in SQLite. A statement that has been stepped must
/// be reset before it is bound again; ``run()`` and ``forEach(_:)`` do so themselves.
/// <https://www.sqlite.org/c3ref/stmt.html>
final class Statement {
    private let connection: OpaquePointer
    private let text: String
    /// Nil until it is needed: a start uses few statements, and compiling all takes milliseconds.
    private var compiled: OpaquePointer?

    /// Keeps the text of one statement on a connection, which must stay open for as long.
    init(_ text: String, on connection: OpaquePointer) {
        self.text = text
        self.connection = connection
    }

    deinit {
        // The result repeats the error of the last step, which was thrown then.
        if let compiled { sqlite3_finalize(compiled) }
    }

    /// Compiles the statement unless it is; sqlite3_prepare_v3.
    func compile() throws(SQLiteError) { _ = try self.handle() }

    @inline(__always)
    private func handle() throws(SQLiteError) -> OpaquePointer {
        if let compiled { return compiled }
        return try self.compiledNow()
    }

    @inline(never)
    private func compiledNow() throws(SQLiteError) -> OpaquePointer {
        var handle: OpaquePointer?
        let code = sqlite3_prepare_v3(
            self.connection, self.text, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw self.error(code) }
        self.compiled = handle
        return handle
    }

    @inline(never)
    private func error(_ code: Int32) -> SQLiteError {
        SQLiteError(connection: self.connection, code: code, sql: self.text)
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
        try self.check(sqlite3_bind_int64(try self.handle(), index, value))
    }

    /// Binds an integer or NULL.
    func bind(_ index: Int32, _ value: Int64?) throws(SQLiteError) {
        if let value {
            try self.bind(index, value)
        } else {
            try self.check(sqlite3_bind_null(try self.handle(), index))
        }
    }

    /// Binds bytes, which are copied; sqlite3_bind_blob.
    func bind(_ index: Int32, _ value: RawSpan) throws(SQLiteError) {
        let handle = try self.handle()
        let code = value.withUnsafeBytes { buffer in
            // A null pointer would bind NULL where an empty blob is meant.
            buffer.isEmpty
                ? sqlite3_bind_zeroblob(handle, index, 0)
                : csqlite_bind_blob_transient(
                    handle, index, buffer.baseAddress, Int32(buffer.count))
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
            try self.check(sqlite3_bind_null(try self.handle(), index))
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
            try self.check(sqlite3_bind_null(try self.handle(), index))
        }
    }

    /// Binds a text, which is copied; sqlite3_bind_text.
    func bind(_ index: Int32, text value: String) throws(SQLiteError) {
        var value = value
        let handle = try self.handle()
        let code = value.withUTF8 { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                csqlite_bind_text_transient(
                    handle, index, text.baseAddress, Int32(text.count))
            }
        }
        try self.check(code)
    }

    // MARK: Running

    /// Runs to the next row: true when there is one, false at the end; sqlite3_step.
    ///
    /// A statement that fails is reset.
    func step() throws(SQLiteError) -> Bool {
        switch sqlite3_step(try self.handle()) {
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
        _ = sqlite3_reset(self.compiled)
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
    func int(_ column: Int32) -> Int64 { sqlite3_column_int64(self.compiled, column) }

    /// Whether a column is NULL.
    func isNull(_ column: Int32) -> Bool {
        sqlite3_column_type(self.compiled, column) == SQLITE_NULL
    }

    /// An integer column that may be NULL.
    func optionalInt(_ column: Int32) -> Int64? { self.isNull(column) ? nil : self.int(column) }

    /// Lends a blob column; no bytes for NULL; sqlite3_column_blob.
    func withBytes<R>(_ column: Int32, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        // The pointer is asked for before the length, as SQLite's documentation demands.
        let start = sqlite3_column_blob(self.compiled, column)
        let count = Int(sqlite3_column_bytes(self.compiled, column))
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
