internal import CPages
internal import CSQLite

/// What SQLite said when a call failed.
///
/// <https://www.sqlite.org/rescode.html>
struct SQLiteError: Error, Hashable, Sendable {
    /// The primary result code, such as `SQLITE_FULL`.
    let code: Int32
    /// The extended result code, such as `SQLITE_IOERR_FSYNC`.
    let extendedCode: Int32
    /// The library's words.
    let message: String
    /// The statement that failed, or the name of the call where there is none.
    let sql: String
    /// The `errno` behind a file that could not be opened, or 0; else the connection knows it.
    var systemError: Int32 = 0

    /// Gathers an error; the primary code is the low byte of the extended one.
    init(extendedCode: Int32, message: String, sql: String) {
        self.code = extendedCode & 0xff
        self.extendedCode = extendedCode
        self.message = message
        self.sql = sql
    }

    /// Reads the error of the last call on a connection; sqlite3_errmsg.
    init(connection: OpaquePointer?, code: Int32, sql: String) {
        let extended = connection.map { sqlite3_extended_errcode($0) } ?? code
        let text = connection.flatMap { sqlite3_errmsg($0) } ?? sqlite3_errstr(code)
        // A connection can already have forgotten the error that a call returned.
        let known = extended & 0xff == code & 0xff ? extended : code
        var page: UInt32 = 0
        if known == Self.pageDamaged {
            // Without a page the library's words have to do.
            _ = sqlite3_file_control(connection, "main", CPAGES_CONTROL_DAMAGED, &page)
        }
        self.init(
            extendedCode: known,
            message: page > 0
                ? "page \(page) does not have its checksum"
                : text.map { String(cString: $0) } ?? "no message", sql: sql)
    }

    /// `SQLITE_IOERR_DATA`: a page without its checksum.
    private static let pageDamaged = SQLITE_IOERR | 32 << 8

    /// Whether what the file holds is wrong, not the disk or the system.
    var isDamage: Bool {
        self.code == SQLITE_CORRUPT || self.code == SQLITE_NOTADB
            || self.extendedCode == Self.pageDamaged
    }

    /// An error for a row whose contents this module would not have written.
    static func damaged(_ what: String) -> SQLiteError {
        SQLiteError(extendedCode: SQLITE_CORRUPT, message: what, sql: "reading a row")
    }
}
