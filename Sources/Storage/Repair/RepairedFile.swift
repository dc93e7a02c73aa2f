internal import Engine
internal import Formats
internal import Glibc

/// The names of the files that a repair makes beside the database, and the step that puts the new
/// file in the place of the damaged one.
///
/// A crash leaves the damaged file, or the new one, or both with ``finish()`` still to be done.
struct RepairedFile {
    let database: String

    /// What stands between the name of the database and a time in that of a file that is kept.
    static let keptSuffix = ".damaged-"

    /// Where the new file is built; it means nothing.
    var unfinished: String { self.database + ".repairing" }
    /// The copy of the damaged file that is read.
    var scratch: String { self.database + ".scratch" }
    /// An empty store of the first version.
    var first: String { self.database + ".first" }
    /// Where rows are gathered.
    var staging: String { self.database + ".salvage" }
    /// The new file once it is whole, until it has its place.
    private var finished: String { self.database + ".repaired" }
    private var log: String { self.database + "-wal" }

    /// Removes what an earlier attempt left; with `keepingNew` all but the new file.
    func clean(keepingNew: Bool = false) {
        let paths = keepingNew ? [] : [self.unfinished]
        for path in paths + [self.scratch, self.first, self.staging] {
            for suffix in ["", "-wal", "-journal"] { unlink(path + suffix) }
        }
    }

    /// Keeps the damaged file and its log under another name, then puts the new one in its place.
    ///
    /// Returns the name under which it is kept. Nothing of the damaged file is changed.
    func replace(keeping stamp: String) throws(StoreFailure) -> String {
        var copy = "\(self.database)\(Self.keptSuffix)\(stamp)"
        var number = 2
        while access(copy, F_OK) == 0 {
            copy = "\(self.database).damaged-\(stamp)-\(number)"
            number += 1
        }
        try self.sync(self.unfinished)
        // A database that is missing, with a log that is not, has nothing to keep but the log.
        try self.call("keep a copy", link(self.database, copy), unless: ENOENT)
        try self.call("keep a copy", link(self.log, copy + "-wal"), unless: ENOENT)
        try self.call("rename", rename(self.unfinished, self.finished))
        try self.finish()
        return copy
    }

    /// Puts a new file that is whole in its place; also after a crash in between.
    func finish() throws(StoreFailure) {
        guard access(self.finished, F_OK) == 0 else { return }
        // The old log over the new file would be a database that never was.
        try self.call("remove the old log", unlink(self.log), unless: ENOENT)
        try self.call("rename", rename(self.finished, self.database))
        try self.syncDirectory()
    }

    private func syncDirectory() throws(StoreFailure) {
        let directory = self.database.lastIndex(of: "/").map { String(self.database[..<$0]) }
        try StoreDirectory.sync(directory: directory ?? ".")
    }

    private func sync(_ path: String) throws(StoreFailure) {
        let descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else {
            throw StoreFailure(systemError: errno, doing: "open the new file", path: path)
        }
        defer { close(descriptor) }
        try self.call("sync the new file", fsync(descriptor))
        try self.syncDirectory()
    }

    private func call(
        _ what: String, _ result: Int32, unless accepted: Int32 = 0
    ) throws(StoreFailure) {
        guard result != 0, errno != accepted else { return }
        throw StoreFailure(systemError: errno, doing: what, path: self.database)
    }
}
