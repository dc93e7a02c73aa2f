internal import CPages
internal import Engine
internal import Glibc

/// Puts the end of a write-ahead log right before SQLite opens it.
enum LogMending {
    /// Writes the lost bits of the last commit where they are all that is wrong with a database's
    /// log (``WriteAheadLog/lastBytes``), and syncs them; gives what was wrong, in words.
    ///
    /// Does nothing while another process has the database open. Throws `newer` for the database of
    /// a later version, and `corrupt` for that of another program and for any other damage: SQLite
    /// would take it for the end of the log, and what was committed behind it would be lost. A crash
    /// leaves each byte as it was or as it should be.
    static func mend(database path: String) throws(StoreFailure) -> [String] {
        let logPath = path + "-wal"
        guard try Self.mendable(logPath, path) != nil, let lock = try Self.lock(path) else {
            return []
        }
        defer {
            cpages_unlock(lock)
            close(lock)
        }
        // Before the lock was taken another process may have been writing.
        guard let log = try Self.mendable(logPath, path) else { return [] }
        try Self.write(log.lastBytes, to: logPath)
        return log.damage.map { "\(logPath): \($0)" }
    }

    /// A log whose damage can be put right; nil where there is none.
    private static func mendable(
        _ logPath: String, _ path: String
    ) throws(StoreFailure) -> WriteAheadLog? {
        guard let log = try WriteAheadLog(path: logPath), let damage = log.damage.first
        else { return nil }
        try Self.refuseOthers(try log.databaseHeader(), path)
        guard !log.lastBytes.isEmpty else {
            throw StoreFailure(reason: .corrupt, detail: "\(logPath): \(damage)", path: path)
        }
        return log
    }

    /// Refuses what a later version or another program wrote, as opening it would: what its log
    /// should be is theirs to say.
    private static func refuseOthers(_ header: [UInt8], _ path: String) throws(StoreFailure) {
        guard header.count >= 72 else { return }
        func word(_ place: Int) -> Int64 {
            header[place..<place + 4].reduce(0) { $0 << 8 | Int64($1) }
        }
        guard word(68) == Schema.applicationID else { throw StoreFailure(foreign: path) }
        let version = Int(word(60))
        guard version <= Schema.version else { throw StoreFailure(newer: version, path: path) }
    }

    /// Takes a lock that excludes SQLite's; nil where another process has one.
    ///
    /// It is one of the open file description, which others that are closed leave alone.
    private static func lock(_ path: String) throws(StoreFailure) -> Int32? {
        let descriptor = open(path, O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StoreFailure(systemError: errno, doing: "open the file", path: path)
        }
        guard cpages_lock(descriptor) != 0 else { return descriptor }
        let code = errno
        close(descriptor)
        guard code == EAGAIN || code == EACCES else {
            throw StoreFailure(systemError: code, doing: "lock the file", path: path)
        }
        return nil
    }

    private static func write(_ bytes: [Int: UInt8], to path: String) throws(StoreFailure) {
        let descriptor = open(path, O_WRONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StoreFailure(systemError: errno, doing: "open the file", path: path)
        }
        defer { close(descriptor) }
        for (place, byte) in bytes {
            guard pwrite(descriptor, [byte], 1, off_t(place)) == 1 else {
                throw StoreFailure(systemError: errno, doing: "write the file", path: path)
            }
        }
        guard fdatasync(descriptor) == 0 else {
            throw StoreFailure(systemError: errno, doing: "sync the file", path: path)
        }
    }
}
