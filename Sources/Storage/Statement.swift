internal import CSQLite
internal import Crypto
internal import Engine
internal import Formats

/// The names of columns and parameters; a statement knows the number of each that it has.
///
/// A column without a name of its own gets one with `AS`, a parameter stands in SQL as `:name`.
enum Name: Int, CaseIterable {
    case act, acts, addresses, arranged, arrival, attestation, author, basis, before, blob, body,
        bytes, `class`,
        conversation,
        count, days,
        cursor, declined, device, devices, ends
    case extra
    case first, flags, fork, hash, head, hlc, id, incarnation, indexed, joined, key, keys,
        kind, kinds,
        last
    case latest, limit, log, maker, mentions, milliseconds, missing, name, number, oldest, owner,
        parent,
        payload
    case peer, people
    case person, place, placed
    case prefix, present, proof, read, realm, record, root, row, scope, seen, seq,
        size,
        shown,
        since
    case source, standing, starts, stored, subject, suffix, suite
    case table, target, text, through, token, unread, until, waiting

    fileprivate static let numbers = Dictionary(
        uniqueKeysWithValues: Name.allCases.map { ("\($0)", $0.rawValue) })

    /// As SQLite spells it; nil for what no code asks for.
    fileprivate static func number(_ text: UnsafePointer<CChar>?) -> Int? {
        text.flatMap { Self.numbers[String(cString: $0)] }
    }
}

/// A statement that is compiled once and used again; belongs to one connection and one thread.
///
/// A statement that has been stepped must be reset before it is bound again; ``run()`` and
/// ``forEach(_:)`` do so themselves. <https://www.sqlite.org/c3ref/stmt.html>
final class Statement {
    private let connection: OpaquePointer
    private let sql: String
    /// With what sealed columns are read and written; nil in a file from before there were any.
    let columns: ColumnSafe?
    /// Nil until it is needed: a start uses few statements, and compiling all takes milliseconds.
    private var compiled: OpaquePointer?
    // The numbers of columns and parameters by their names, found when the statement is compiled.
    // Pointers, since an array of a class is retained and looked after at every look-up.
    private let columnNumbers = Statement.numbers(-1)
    private let parameters = Statement.numbers(0)

    /// Keeps the text of one statement on a connection, which must stay open for as long.
    init(_ sql: String, on connection: OpaquePointer, _ columns: ColumnSafe?) {
        self.sql = sql
        self.columns = columns
        self.connection = connection
    }

    deinit {
        // The result repeats the error of the last step, which was thrown then.
        if let compiled { sqlite3_finalize(compiled) }
        self.columnNumbers.deallocate()
        self.parameters.deallocate()
    }

    private static func numbers(_ number: Int32) -> UnsafeMutablePointer<Int32> {
        let numbers = UnsafeMutablePointer<Int32>.allocate(capacity: Name.allCases.count)
        numbers.initialize(repeating: number, count: Name.allCases.count)
        return numbers
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
            self.connection, self.sql, -1, UInt32(SQLITE_PREPARE_PERSISTENT), &handle, nil)
        guard code == SQLITE_OK, let handle else { throw self.error(code) }
        self.compiled = handle
        for number in 0..<sqlite3_column_count(handle) {
            guard let name = Name.number(sqlite3_column_name(handle, number)) else { continue }
            self.columnNumbers[name] = number
        }
        for number in 0..<sqlite3_bind_parameter_count(handle) {
            // Behind the colon.
            let name = Name.number(sqlite3_bind_parameter_name(handle, number + 1)?.advanced(by: 1))
            if let name { self.parameters[name] = number + 1 }
        }
        return handle
    }

    @inline(never)
    private func error(_ code: Int32) -> SQLiteError {
        SQLiteError(connection: self.connection, code: code, sql: self.sql)
    }

    @inline(__always)
    private func check(_ code: Int32) throws(SQLiteError) {
        guard code == SQLITE_OK else {
            // A parameter that does not exist, or a statement not reset, is our own mistake.
            precondition(code != SQLITE_RANGE && code != SQLITE_MISUSE)
            throw self.error(code)
        }
    }

    // MARK: Parameters. Each call gives the statement back, for the next one.

    /// Binds an integer or NULL; sqlite3_bind_int64.
    @inline(__always) @discardableResult
    func bind(_ name: Name, _ value: Int64?) throws(SQLiteError) -> Statement {
        let handle = try self.handle()
        let number = self.parameters[name.rawValue]
        try self.check(
            value.map { sqlite3_bind_int64(handle, number, $0) }
                ?? sqlite3_bind_null(handle, number))
        return self
    }

    /// Binds bytes, which are copied; sqlite3_bind_blob.
    @discardableResult
    func bind(_ name: Name, _ value: RawSpan) throws(SQLiteError) -> Statement {
        let handle = try self.handle()
        let number = self.parameters[name.rawValue]
        let code = value.withUnsafeBytes { buffer in
            // A null pointer would bind NULL where an empty blob is meant.
            buffer.isEmpty
                ? sqlite3_bind_zeroblob(handle, number, 0)
                : csqlite_bind_blob_transient(
                    handle, number, buffer.baseAddress, Int32(buffer.count))
        }
        try self.check(code)
        return self
    }

    /// Binds bytes or NULL; the bytes are copied.
    @discardableResult
    func bind(_ name: Name, _ value: [UInt8]?) throws(SQLiteError) -> Statement {
        guard let value else { return try self.bind(name, nil as Int64?) }
        return try self.bind(name, value.span.bytes)
    }

    /// Binds 32 bytes.
    @discardableResult
    func bind(_ name: Name, _ value: Bytes32) throws(SQLiteError) -> Statement {
        try value.withBytes { (bytes) throws(SQLiteError) in try self.bind(name, bytes) }
    }

    /// Binds 64 bytes or NULL.
    @discardableResult
    func bind(_ name: Name, _ value: Bytes64?) throws(SQLiteError) -> Statement {
        guard let value else { return try self.bind(name, nil as Int64?) }
        return try value.withBytes { (bytes) throws(SQLiteError) in try self.bind(name, bytes) }
    }

    /// Binds all of an id but its prefix.
    @discardableResult
    func bind(_ name: Name, suffixOf id: EntryID) throws(SQLiteError) -> Statement {
        try id.hash.withBytes { (bytes) throws(SQLiteError) in
            try self.bind(name, bytes.extracting(8..<Bytes32.byteCount))
        }
    }

    /// Binds a text, which is copied; sqlite3_bind_text.
    @discardableResult
    func bind(_ name: Name, text: String?) throws(SQLiteError) -> Statement {
        guard var value = text else { return try self.bind(name, nil as Int64?) }
        let handle = try self.handle()
        let number = self.parameters[name.rawValue]
        let code = value.withUTF8 { buffer in
            buffer.withMemoryRebound(to: CChar.self) { text in
                csqlite_bind_text_transient(
                    handle, number, text.baseAddress, Int32(text.count))
            }
        }
        try self.check(code)
        return self
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

    /// Reads rows until one gives something, and resets.
    func firstFound<R>(_ body: (Statement) throws(SQLiteError) -> R?) throws(SQLiteError) -> R? {
        defer { self.reset() }
        while try self.step() { if let found = try body(self) { return found } }
        return nil
    }

    /// The first row's only column, an integer; nil where there is no row or it is NULL.
    func int() throws(SQLiteError) -> Int64? {
        defer { self.reset() }
        guard try self.step(), sqlite3_column_type(self.compiled, 0) != SQLITE_NULL else {
            return nil
        }
        return sqlite3_column_int64(self.compiled, 0)
    }

    /// Runs an `INSERT … RETURNING id` and gives the id.
    func added() throws(SQLiteError) -> Int64 {
        // The row is returned before the statement is done; it must run to its end to take effect.
        defer { self.reset() }
        guard try self.step() else { throw .damaged("an insertion returned no id") }
        let id = self.int(.id)
        _ = try self.step()
        return id
    }

    // MARK: Columns

    @inline(__always)
    private func number(_ name: Name) -> Int32 {
        let number = self.columnNumbers[name.rawValue]
        precondition(number >= 0, "a statement has the columns that are read")
        return number
    }

    /// An integer column; 0 for NULL; sqlite3_column_int64.
    func int(_ name: Name) -> Int64 { sqlite3_column_int64(self.compiled, self.number(name)) }

    /// Whether a column is NULL.
    func isNull(_ name: Name) -> Bool {
        sqlite3_column_type(self.compiled, self.number(name)) == SQLITE_NULL
    }

    /// An integer column that may be NULL.
    func optionalInt(_ name: Name) -> Int64? { self.isNull(name) ? nil : self.int(name) }

    /// Lends a blob column; no bytes for NULL.
    func withBytes<R>(_ name: Name, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        self.withBytes(number: self.number(name), body)
    }

    /// The pointer is asked for before the length, as SQLite's documentation demands;
    /// sqlite3_column_blob.
    private func withBytes<R>(number: Int32, _ body: (UnsafeRawBufferPointer) -> R) -> R {
        let start = sqlite3_column_blob(self.compiled, number)
        let count = Int(sqlite3_column_bytes(self.compiled, number))
        return body(UnsafeRawBufferPointer(start: start, count: start == nil ? 0 : count))
    }

    /// A blob column; empty for NULL.
    func bytes(_ name: Name) -> [UInt8] { self.withBytes(name) { Array($0) } }

    /// A blob column that may be NULL.
    func optionalBytes(_ name: Name) -> [UInt8]? { self.isNull(name) ? nil : self.bytes(name) }

    /// A column of exactly 32 bytes.
    func bytes32(_ name: Name) throws(SQLiteError) -> Bytes32 {
        guard let value = self.withBytes(name, { Bytes32($0.bytes) }) else {
            throw .damaged("a 32-byte column has another length")
        }
        return value
    }

    /// A column of exactly 64 bytes, or NULL.
    func optionalBytes64(_ name: Name) throws(SQLiteError) -> Bytes64? {
        if self.isNull(name) { return nil }
        guard let value = self.withBytes(name, { Bytes64($0.bytes) }) else {
            throw .damaged("a 64-byte column has another length")
        }
        return value
    }

    /// A text column; empty for NULL.
    func text(_ name: Name) -> String {
        self.withBytes(name) { String(decoding: $0, as: UTF8.self) }
    }

    /// The only column of a row, a text.
    var text: String { self.withBytes(number: 0) { String(decoding: $0, as: UTF8.self) } }
}
