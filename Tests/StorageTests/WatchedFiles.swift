import CSQLite
import Synchronization

/// The store's way to files, with a note of every write and sync.
///
/// SQLite asks a table of functions, the VFS, for all that it does with files. Here opening, writing
/// and syncing tell before they do the same as ever. <https://www.sqlite.org/vfs.html>
enum WatchedFiles {
    /// What was done to a file.
    enum Step: Hashable, Sendable {
        case write
        case sync
    }

    /// What is known of an open file.
    private struct File {
        var path: String
        /// Its functions as SQLite made them; where they stand never changes.
        var methods: UInt
    }

    private struct Watch {
        /// The VFS as it was.
        var usual: UInt = 0
        /// The functions that tell, by the usual ones: a few tables, kept for good.
        var tables: [UInt: UInt] = [:]
        var files: [UInt: File] = [:]
        var steps: [String: [Step]] = [:]
    }

    private static let watch = Mutex(Watch())

    /// Tells of all files that stores of this process open from here on.
    ///
    /// A store must have been opened before: it brings its VFS along.
    static func install() { Self.installed }

    private static let installed: Void = {
        guard let vfs = sqlite3_vfs_find("stoa") else { return }
        let usual = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        usual.initialize(to: vfs.pointee)
        Self.watch.withLock { $0.usual = UInt(bitPattern: usual) }
        vfs.pointee.xOpen = { vfs, name, file, flags, outFlags in
            let usual = WatchedFiles.watch.withLock { $0.usual }
            let code =
                UnsafePointer<sqlite3_vfs>(bitPattern: usual)?.pointee
                .xOpen(vfs, name, file, flags, outFlags) ?? SQLITE_ERROR
            if code == SQLITE_OK, let name, let file {
                WatchedFiles.watch(file, path: String(cString: name))
            }
            return code
        }
    }()

    /// Puts functions that tell in the place of a file's own.
    private static func watch(_ file: UnsafeMutablePointer<sqlite3_file>, path: String) {
        guard let methods = file.pointee.pMethods else { return }
        let telling = Self.watch.withLock { watch in
            let usual = UInt(bitPattern: methods)
            watch.files[UInt(bitPattern: file)] = File(path: path, methods: usual)
            let table = watch.tables[usual] ?? Self.telling(methods)
            watch.tables[usual] = table
            return table
        }
        file.pointee.pMethods = UnsafePointer(bitPattern: telling)
    }

    /// Makes functions that tell, and then do what others do.
    private static func telling(_ methods: UnsafePointer<sqlite3_io_methods>) -> UInt {
        let telling = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        telling.initialize(to: methods.pointee)
        telling.pointee.xWrite = { file, bytes, count, offset in
            WatchedFiles.methods(of: file, doing: .write)?.pointee
                .xWrite(file, bytes, count, offset) ?? SQLITE_IOERR
        }
        telling.pointee.xSync = { file, flags in
            WatchedFiles.methods(of: file, doing: .sync)?.pointee.xSync(file, flags)
                ?? SQLITE_IOERR
        }
        return UInt(bitPattern: telling)
    }

    /// Notes a step, and gives the functions that do it.
    private static func methods(
        of file: UnsafeMutablePointer<sqlite3_file>?, doing step: Step
    ) -> UnsafePointer<sqlite3_io_methods>? {
        Self.watch.withLock { watch in
            guard let known = watch.files[UInt(bitPattern: file)] else { return nil }
            watch.steps[known.path]?.append(step)
            return UnsafePointer(bitPattern: known.methods)
        }
    }

    /// What was done to a file since the last call; nothing is noted before the first.
    static func steps(_ path: String) -> [Step] {
        Self.watch.withLock { $0.steps.updateValue([], forKey: path) ?? [] }
    }
}
