import TestSupport

/// The disk of one node as its write log makes it, and what a loss of power can leave of it.
///
/// Strict, as POSIX allows: what is written to a file is durable when the file is synced, a name
/// when its directory is, and neither brings the other.
struct SimulatedDisk {
    /// A file, by whatever name.
    final class File {
        fileprivate(set) var content: [UInt8] = []
        fileprivate(set) var durable: [UInt8] = []
        fileprivate var pending: [Change] = []
    }

    fileprivate enum Change {
        case write(offset: Int, [UInt8])
        case truncate(Int)

        func apply(to bytes: inout [UInt8]) {
            switch self {
            case .truncate(let size): SimulatedDisk.resize(&bytes, size)
            case .write(let offset, let data):
                if bytes.count < offset + data.count {
                    SimulatedDisk.resize(&bytes, offset + data.count)
                }
                bytes.withUnsafeMutableBytes { whole in
                    data.withUnsafeBytes { part in
                        UnsafeMutableRawBufferPointer(rebasing: whole[offset...])
                            .copyMemory(from: part)
                    }
                }
            }
        }
    }

    /// What is under which path.
    private struct Names {
        var files: [String: File] = [:]
        var directories: Set<String> = []

        mutating func apply(_ change: NameChange) {
            switch change {
            case .file(let path, let file): self.files[path] = file
            case .directory(let path): self.directories.insert(path)
            case .remove(let path): self.files[path] = nil
            case .rename(let from, let path, let file):
                self.files[from] = nil
                self.files[path] = file
            }
        }
    }

    private enum NameChange {
        case file(String, File)
        case directory(String)
        case remove(String)
        case rename(from: String, to: String, File)

        var path: String {
            switch self {
            case .file(let path, _), .directory(let path), .remove(let path): path
            case .rename(_, let path, _): path
            }
        }
    }

    /// The directory that was there before and is durable.
    let root: String
    private var current = Names()
    private var durable = Names()
    private var pending: [NameChange] = []
    private var byInode: [UInt64: File] = [:]

    init(root: String) { self.root = root }

    private static func parent(of path: String) -> String {
        path.lastIndex(of: "/").map { String(path[..<$0]) } ?? ""
    }

    fileprivate static func resize(_ bytes: inout [UInt8], _ size: Int) {
        if bytes.count > size {
            bytes.removeLast(bytes.count - size)
        } else {
            bytes.append(contentsOf: repeatElement(0, count: size - bytes.count))
        }
    }

    // MARK: Replaying

    mutating func apply(_ record: WriteLog.Record, of log: WriteLog) throws {
        switch record.kind {
        case .write, .truncate:
            guard let file = self.byInode[record.inode] else {
                throw Broken("a file is written that was never made: inode \(record.inode)")
            }
            let change: Change =
                record.kind == .truncate
                ? .truncate(record.offset)
                : .write(offset: record.offset, Array(log.bytes[record.data]))
            change.apply(to: &file.content)
            file.pending.append(change)
        case .sync: try self.sync(record)
        case .create:
            let file = File()
            self.byInode[record.inode] = file
            self.change(.file(record.path, file))
        case .makeDirectory: self.change(.directory(record.path))
        case .unlink: self.change(.remove(record.path))
        case .rename:
            let from = String(decoding: log.bytes[record.data], as: UTF8.self)
            guard let file = self.current.files[from] else { throw Broken("renamed: \(from)") }
            self.change(.rename(from: from, to: record.path, file))
        case .told, .sent: break
        case .escape: throw Broken("a file was changed by \(record.path), which is not recorded")
        }
    }

    private mutating func change(_ change: NameChange) {
        self.current.apply(change)
        self.pending.append(change)
    }

    private mutating func sync(_ record: WriteLog.Record) throws {
        if record.path == self.root || self.current.directories.contains(record.path) {
            for change in self.pending where Self.parent(of: change.path) == record.path {
                self.durable.apply(change)
            }
            self.pending.removeAll { Self.parent(of: $0.path) == record.path }
        } else if record.path == "/" || self.root.hasPrefix(record.path + "/") {
            // What is above the root is durable already.
        } else {
            guard let file = self.byInode[record.inode] else {
                throw Broken("a file is synced that was never made: \(record.path)")
            }
            for change in file.pending { change.apply(to: &file.durable) }
            file.pending = []
        }
    }

    // MARK: What is left

    /// What a loss of power does to what was not synced.
    enum Loss {
        /// It reached the disk all the same.
        case none
        /// It is gone.
        case all
        /// Each sector of each write, and each change of a name, is there or not.
        case some(SeededRandom)
    }

    /// The files that are left, by path; those in a directory that is not left are not.
    func files(after loss: Loss) -> [String: (file: File, bytes: [UInt8])] {
        var names = self.durable
        var random: SeededRandom?
        switch loss {
        case .none: names = self.current
        case .all: break
        case .some(let seeded):
            var some = seeded
            for change in self.pending where some.next() % 2 == 0 { names.apply(change) }
            random = some
        }
        var left: [String: (file: File, bytes: [UInt8])] = [:]
        for path in names.files.keys.sorted() where self.isReachable(path, names) {
            guard let file = names.files[path] else { continue }
            switch loss {
            case .none: left[path] = (file, file.content)
            case .all: left[path] = (file, file.durable)
            case .some:
                var some = random ?? SeededRandom(seed: 0)
                left[path] = (file, Self.torn(file, &some))
                random = some
            }
        }
        return left
    }

    private func isReachable(_ path: String, _ names: Names) -> Bool {
        var directory = Self.parent(of: path)
        while directory != self.root {
            guard names.directories.contains(directory) else { return false }
            directory = Self.parent(of: directory)
        }
        return true
    }

    private static let sectorBytes = 512

    /// Of each sector some version since the last sync: newer writes may be there without older.
    private static func torn(_ file: File, _ random: inout SeededRandom) -> [UInt8] {
        var bytes = file.durable
        // Some losses take nearly everything, some nearly nothing.
        let keepsOf8 = 1 + random.next() % 7
        for change in file.pending {
            switch change {
            case .truncate: if random.next() % 8 < keepsOf8 { change.apply(to: &bytes) }
            case .write(let offset, let data):
                // The size can grow before what is written there has come.
                if random.next() % 8 < keepsOf8, bytes.count < offset + data.count {
                    self.resize(&bytes, offset + data.count)
                }
                var start = 0
                while start < data.count {
                    let sector = (offset + start) / self.sectorBytes
                    let end = min(data.count, (sector + 1) * self.sectorBytes - offset)
                    if random.next() % 8 < keepsOf8 {
                        Change.write(offset: offset + start, Array(data[start..<end]))
                            .apply(to: &bytes)
                    }
                    start = end
                }
            }
        }
        return bytes
    }
}
