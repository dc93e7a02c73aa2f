import Engine
import Glibc
import Posix

@testable import Storage

/// Turns the store of a stopped node back into one of the first version: the same rows, in pages
/// without checksums.
enum FirstVersion {
    /// Puts such a file in place of a database, with its inode, and gives its bytes.
    static func put(in path: String, work: String) throws -> [UInt8] {
        guard !Files.exists(path + "-wal") else { throw Broken("\(path) was not closed") }
        try Files.writeAtomically([], to: work)
        try self.copyRows(of: path, to: work)
        let bytes = try Files.read(work, limitBytes: 1 << 30)
        // Byte 20 of the header: how much of each page SQLite leaves to checksums.
        guard bytes.count > 4_096, bytes[20] == 0, !Files.exists(work + "-wal") else {
            throw Broken("\(work) is not as the first version wrote it")
        }
        let number = open(path, O_WRONLY | O_TRUNC | O_CLOEXEC)
        guard number >= 0 else { throw SystemError(errno, "open", path) }
        let descriptor = FileDescriptor(owning: number)
        guard pwrite(number, bytes, bytes.count, 0) == bytes.count, fsync(number) == 0 else {
            throw SystemError(errno, "write", path)
        }
        _ = descriptor
        return bytes
    }

    private static func copyRows(of path: String, to work: String) throws {
        // Without the VFS that gives pages their checksums.
        let database = try Database(path: work, isPlain: true)
        try database.execute(Schema.migrations[0])
        try database.execute(
            """
            PRAGMA application_id = \(Schema.applicationID);
            PRAGMA user_version = 1;
            ATTACH '\(path)' AS later;
            """)
        let tables = "SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name"
        for name in try Self.texts(database, tables) {
            let columns = try Self.texts(
                database, "SELECT name FROM pragma_table_info('\(name)')"
            ).joined(separator: ", ")
            try database.execute(
                "INSERT INTO main.\(name) (\(columns)) SELECT \(columns) FROM later.\(name)")
        }
        try database.execute("DETACH later")
        let mode = try database.text("PRAGMA journal_mode = WAL")
        guard mode == "wal" else { throw Broken("\(work): the journal mode is \(mode)") }
    }

    private static func texts(_ database: Database, _ sql: String) throws -> [String] {
        var texts: [String] = []
        try database.prepare(sql).forEach { (row) throws(SQLiteError) in texts.append(row.text(0)) }
        return texts
    }
}
