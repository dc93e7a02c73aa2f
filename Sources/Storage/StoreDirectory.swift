internal import Engine
internal import Formats
internal import Glibc

/// What the store asks of the file system beside SQLite.
enum StoreDirectory {
    /// The name of the database in the data directory.
    static let databaseName = "stoa.db"

    /// Makes the database's file, empty and for this user alone, where there is none; whether it
    /// did.
    ///
    /// SQLite gives the files that it makes beside the database the same mode.
    static func createDatabase(_ path: String, in directory: String) throws(StoreFailure) -> Bool {
        let flags = O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW
        let descriptor = open(path, flags, 0o600)
        if descriptor < 0 {
            guard errno == EEXIST else {
                throw StoreFailure(systemError: errno, doing: "create the file", path: path)
            }
            return false
        }
        close(descriptor)
        try self.sync(directory: directory)
        return true
    }

    /// Refuses a file that a program from before the first release wrote.
    static func refuseEarlier(_ path: String) throws(StoreFailure) {
        let application = try RawFile(path: path)?.read(at: 68, count: 4) ?? []
        if application.reduce(0, { $0 << 8 | Int64($1) }) == Schema.earlierApplicationID {
            throw StoreFailure(earlier: path)
        }
    }

    /// Whether the header of a file says that columns are sealed; false where there is no file.
    static func isSealed(_ path: String) throws(StoreFailure) -> Bool {
        // The user's version, one more number, the application.
        let header = try RawFile(path: path)?.read(at: 60, count: 12) ?? []
        guard header.count == 12 else { return false }
        let numbers = [header[..<4], header[8...]].map {
            $0.reduce(Int64(0)) { $0 << 8 | Int64($1) }
        }
        return numbers[1] == Schema.applicationID && numbers[0] >= Schema.sealedVersion
    }

    /// Makes the names in a directory durable; fsync(2).
    static func sync(directory: String) throws(StoreFailure) {
        let descriptor = open(directory, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StoreFailure(systemError: errno, doing: "open the directory", path: directory)
        }
        defer { close(descriptor) }
        guard fsync(descriptor) == 0 else {
            throw StoreFailure(systemError: errno, doing: "sync the directory", path: directory)
        }
    }
}
