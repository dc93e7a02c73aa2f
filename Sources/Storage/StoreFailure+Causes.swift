internal import CSQLite
internal import Engine
internal import Formats
internal import Glibc

extension StoreFailure {
    /// Says what a failed SQLite call on a file means and what can be done about it.
    ///
    /// `systemError` is the `errno` behind the call, or 0.
    init(_ error: SQLiteError, path: String, systemError: Int32) {
        // The first line names the statement; the rest would only push the remedy out of sight.
        let statement = error.sql.prefix { $0 != "\n" }.prefix(80)
        let why = Self.isOutOfDescriptors(systemError) ? "too many open files" : error.message
        let detail = "\(path): \(why) (SQLite's code \(error.extendedCode), at: \(statement))"
        let reason: Reason =
            switch error.code {
            case SQLITE_FULL: .full
            case SQLITE_READONLY, SQLITE_PERM: .readOnly
            case _ where error.isDamage: .corrupt
            case SQLITE_BUSY, SQLITE_LOCKED: .locked
            case SQLITE_IOERR, SQLITE_CANTOPEN, SQLITE_AUTH:
                systemError == 0 ? .inputOutput : Self.reason(systemError)
            default: .other(code: error.extendedCode)
            }
        self.init(reason: reason, detail: detail, systemError: systemError, path: path)
    }

    /// Says what a failed system call on a file means.
    init(systemError: Int32, doing what: String, path: String) {
        let text = strerror(systemError).map { String(cString: $0) } ?? "error \(systemError)"
        self.init(
            reason: Self.reason(systemError), detail: "\(path): cannot \(what): \(text)",
            systemError: systemError, path: path)
    }

    /// Refuses to write where the file system takes no writes.
    package init(readOnly path: String) {
        let mount = MountPoint.holding(path)
        let place = mount.map { ", mounted at \($0)" } ?? ""
        self.init(
            reason: .readOnly, detail: "\(path) is on a read-only file system\(place)",
            remedy: Self.writableRemedy(mount ?? "its mount point"))
    }

    /// What makes a file system writable again.
    private static func writableRemedy(_ mount: String) -> String {
        "look in the system journal for why it is read-only, then, as root: mount -o remount,rw "
            + "\(mount); then restart the daemon: systemctl --user restart stoad"
    }

    /// Refuses a file of a later version.
    init(newer version: Int, path: String) {
        self.init(
            reason: .newer(version: version),
            detail: "\(path) has schema version \(version), this program knows \(Schema.version)",
            path: path)
    }

    /// Refuses a file of an earlier version where nothing can bring it to this one.
    init(older version: Int, path: String) {
        self.init(
            reason: .readOnly,
            detail: "\(path) has schema version \(version), this program reads "
                + "\(Schema.version), and the file system is read-only",
            remedy: "start stoad once where it can write, or use the version that wrote the file")
    }

    /// Refuses the file of a program from before the first release.
    init(earlier path: String) {
        self.init(
            reason: .corrupt, detail: "\(path) was written by an earlier version of Stoa",
            remedy: "move it away with its -wal file and start again: peers bring the history "
                + "back, and identity.key stays as it is")
    }

    /// Refuses the database of another program; there is nothing in it to repair.
    init(foreign path: String) {
        self.init(
            reason: .corrupt, detail: "\(path) is a database, but not one of Stoa",
            remedy: "move it away if it is there by mistake, or choose another data directory")
    }

    init(reason: Reason, detail: String, path: String) {
        self.init(reason: reason, detail: detail, remedy: Self.remedy(reason, path: path))
    }

    private init(reason: Reason, detail: String, systemError: Int32, path: String) {
        guard systemError != EROFS else {
            self.init(readOnly: path)
            return
        }
        guard reason == .inputOutput, Self.isOutOfDescriptors(systemError) else {
            self.init(reason: reason, detail: detail, path: path)
            return
        }
        // The disk is well.
        self.init(
            reason: reason, detail: detail,
            remedy:
                "End programs that hold many files open, or raise the limit with `ulimit -n` or "
                + "LimitNOFILE=.")
    }

    private static func isOutOfDescriptors(_ systemError: Int32) -> Bool {
        systemError == EMFILE || systemError == ENFILE
    }

    private static func reason(_ systemError: Int32) -> Reason {
        switch systemError {
        case ENOSPC, EDQUOT: .full
        case EROFS, EACCES, EPERM: .readOnly
        default: .inputOutput
        }
    }

    private static func remedy(_ reason: Reason, path: String) -> String {
        switch reason {
        case .full:
            "free space on the file system of \(path); nothing that was stored is lost"
        case .readOnly:
            "give this user the right to write \(path) and its directory, or choose another one"
        case .corrupt:
            "stop the daemon and run stoad --repair, which keeps a copy; "
                + "stoad --check says what is damaged"
        case .deleted:
            "put the data directory back: a running daemon continues by itself, one that "
                + "has ended must be started again; nothing is sent until then"
        case .emptied:
            "put a backup back; or remove the empty file and start again with a new store, which "
                + "peers fill with what they have"
        case .inputOutput:
            "look in the system journal for errors of the disk that holds \(path)"
        case .newer:
            "install the newer version of stoad, or choose another data directory"
        case .locked:
            "end the other process that uses \(path), or choose another data directory"
        case .other:
            "start the daemon again; if the error remains, report this text"
        }
    }
}
