import CLinux
import Glibc

/// Small files of the own user: read whole, replaced whole, readable by nobody else.
package enum Files {
    /// Reads a whole file, which may have no more bytes than the limit.
    ///
    /// Throws `ENOENT` when it is missing and `EFBIG` when it is larger, having read no more than
    /// the limit. Pipes and devices are refused with `EINVAL`, since they might never end.
    package static func read(_ path: String, limitBytes: Int) throws(SystemError) -> [UInt8] {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { throw SystemError(errno, "open", path) }
        let descriptor = FileDescriptor(owning: number)
        var status = stat()
        guard fstat(number, &status) == 0 else { throw .ofDescriptor(errno, "stat", path) }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(
                status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL, "read", path,
                advice: "it must be a regular file")
        }
        var content: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: min(max(limitBytes, 0) + 1, 64 * 1024))
        while true {
            switch descriptor.read(into: &buffer) {
            case .bytes(let count):
                guard content.count + count <= limitBytes else {
                    throw SystemError(
                        EFBIG, "read", path, advice: "at most \(limitBytes) bytes are expected")
                }
                content += buffer[..<count]
            case .end, .wouldBlock:
                return content
            case .failed(let error):
                throw SystemError(error.code, "read", path)
            }
        }
    }

    /// How the name of a file ends that is to replace another and is not whole yet.
    package static let unfinishedSuffix = ".new"

    /// Replaces a file so that after a crash there is the old content or the new, never a part.
    ///
    /// Writes a new file beside it, syncs it, renames it over the old one and syncs the directory.
    /// On error the old file is untouched and the new one is gone.
    package static func writeAtomically(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600
    ) throws(SystemError) {
        let unique = "\(getpid()).\(UInt32.random(in: .min ... .max))"
        let temporary = "\(path).\(unique)\(self.unfinishedSuffix)"
        let number = open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode)
        guard number >= 0 else { throw SystemError(errno, "create", temporary) }
        do throws(SystemError) {
            let descriptor = FileDescriptor(owning: number)
            var written = 0
            while written < bytes.count {
                switch descriptor.write(bytes.span.bytes.extracting(written..<bytes.count)) {
                case .bytes(let count): written += count
                case .wouldBlock: continue
                case .failed(let error): throw SystemError(error.code, "write", temporary)
                }
            }
            guard fchmod(descriptor.number, mode) == 0 else {
                throw .ofDescriptor(errno, "chmod", temporary)
            }
            guard fsync(descriptor.number) == 0 else {
                throw .ofDescriptor(errno, "sync", temporary)
            }
            guard rename(temporary, path) == 0 else { throw SystemError(errno, "rename to", path) }
        } catch {
            unlink(temporary)
            throw error
        }
        try self.syncDirectory(self.parent(of: path))
    }

    /// As ``writeAtomically(_:to:mode:)``, and overwrites what was in the old file with zeros.
    ///
    /// Only once the new name is durable: else a power cut could leave the old name, with zeros.
    package static func replaceErasing(
        _ bytes: [UInt8], to path: String, mode: UInt32 = 0o600
    ) throws(SystemError) {
        let old = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        let file = old < 0 ? nil : FileDescriptor(owning: old)
        try self.writeAtomically(bytes, to: path, mode: mode)
        if let file { self.erase(file) }
    }

    /// Removes a file and overwrites what was in it with zeros, once its name is gone for good.
    package static func removeErasing(_ path: String) throws(SystemError) {
        let number = open(path, O_WRONLY | O_CLOEXEC | O_NOFOLLOW)
        let file = number < 0 ? nil : FileDescriptor(owning: number)
        try self.remove(path)
        guard let file else { return }
        try self.syncDirectory(self.parent(of: path))
        self.erase(file)
    }

    /// Overwrites a file without a name; where that fails, or the disk writes elsewhere, its bytes stay in free blocks.
    private static func erase(_ file: borrowing FileDescriptor) {
        var status = stat()
        // One with another name is somebody's copy.
        guard fstat(file.number, &status) == 0, status.st_nlink == 0 else { return }
        let zeros = [UInt8](repeating: 0, count: Int(status.st_size))
        _ = pwrite(file.number, zeros, zeros.count, 0)
        _ = fsync(file.number)
    }

    /// Makes the names in a directory durable: fsync(2) of the directory.
    package static func syncDirectory(_ path: String) throws(SystemError) {
        let number = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        guard number >= 0 else { throw SystemError(errno, "open", path) }
        let descriptor = FileDescriptor(owning: number)
        guard fsync(descriptor.number) == 0 else { throw .ofDescriptor(errno, "sync", path) }
    }

    /// Makes a directory that only the own user can enter, or checks that an existing one is so.
    ///
    /// Missing parents are made too, with mode 0700, as the XDG Base Directory Specification says.
    /// While it is empty it may just have been made, by a start that was cut short perhaps: then its
    /// name and those above it that are the user's are synced. Throws when an existing one is no
    /// directory, belongs to somebody else or is open to others; nothing is changed then.
    package static func makePrivateDirectory(_ path: String) throws(SystemError) {
        try self.makeDirectories(path)
        var status = stat()
        guard stat(path, &status) == 0 else { throw SystemError(errno, "stat", path) }
        guard status.st_mode & S_IFMT == S_IFDIR else {
            throw SystemError(ENOTDIR, "use directory", path)
        }
        guard status.st_uid == geteuid() else {
            throw SystemError(
                EACCES, "use directory", path, advice: "it belongs to user \(status.st_uid)")
        }
        guard status.st_mode & 0o077 == 0 else {
            throw SystemError(
                EACCES, "use directory", path,
                advice:
                    "others can enter it; choose another, or run `chmod 700` on it if it is yours alone"
            )
        }
        if self.isEmpty(path) { try self.syncNames(of: path) }
    }

    /// Whether a directory is on a file system that takes no writes; false for one that is not there.
    package static func isOnReadOnlySystem(_ path: String) -> Bool {
        access(path, W_OK) != 0 && errno == EROFS
    }

    /// Makes a directory and its missing parents, with mode 0700; those that exist stay as they are.
    package static func makeDirectories(_ path: String) throws(SystemError) {
        if mkdir(path, 0o700) == 0 { return }
        switch errno {
        case EEXIST:
            return
        case ENOENT where self.parent(of: path) != path:
            try self.makeDirectories(self.parent(of: path))
            guard mkdir(path, 0o700) == 0 || errno == EEXIST else {
                throw SystemError(errno, "make directory", path)
            }
        default:
            throw SystemError(errno, "make directory", path)
        }
    }

    /// Makes the names of a directory and of those above it durable, as far as they are the user's.
    ///
    /// Otherwise a loss of power takes a new directory with all that was synced in it.
    private static func syncNames(of path: String) throws(SystemError) {
        var directory = path
        while true {
            let parent = self.parent(of: directory)
            var status = stat()
            guard parent != directory, stat(parent, &status) == 0, status.st_uid == geteuid()
            else { return }
            try self.syncDirectory(parent)
            directory = parent
        }
    }

    /// Whether a directory has nothing in it, or cannot be looked into.
    private static func isEmpty(_ path: String) -> Bool {
        guard let directory = opendir(path) else { return true }
        defer { closedir(directory) }
        var names = 0
        while names < 3, readdir(directory) != nil { names += 1 }
        // There are always `.` and `..`.
        return names < 3
    }

    /// Tells whether something exists at a path; a path that cannot be looked at counts as missing.
    package static func exists(_ path: String) -> Bool {
        access(path, F_OK) == 0
    }

    /// Whether something is at a path that is no socket; false where nothing is, or it cannot be looked at.
    package static func isOther(thanSocket path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFSOCK
    }

    /// The names in a directory in order, without those that begin with a point; none where there is
    /// no such directory.
    package static func names(in path: String) throws(SystemError) -> [String] {
        guard let directory = opendir(path) else {
            if errno == ENOENT { return [] }
            throw SystemError(errno, "open", path)
        }
        defer { closedir(directory) }
        var names: [String] = []
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) { pointer in
                pointer.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if !name.hasPrefix(".") { names.append(name) }
        }
        return names.sorted()
    }

    /// Removes a file; one that is missing already counts as removed.
    package static func remove(_ path: String) throws(SystemError) {
        guard unlink(path) == 0 || errno == ENOENT else { throw SystemError(errno, "remove", path) }
    }

    /// Where a symbolic link leads, as it is written; nil where it cannot be read: readlink(2).
    package static func target(ofLink path: String) -> String? {
        var buffer = [UInt8](repeating: 0, count: Int(PATH_MAX))
        let count = buffer.withUnsafeMutableBytes {
            $0.baseAddress.map { readlink(path, $0, Int(PATH_MAX)) } ?? 0
        }
        return count > 0 ? String(decoding: buffer[..<count], as: UTF8.self) : nil
    }

    /// The directory part of a path: all before the last slash, `.` without one.
    package static func parent(of path: String) -> String {
        var trimmed = Substring(path)
        while trimmed.count > 1, trimmed.last == "/" { trimmed.removeLast() }
        guard let slash = trimmed.lastIndex(of: "/") else { return "." }
        let parent = trimmed[..<slash]
        return parent.isEmpty ? "/" : String(parent)
    }

    /// The size of a file in bytes; nil where it cannot be asked for; stat(2).
    package static func size(_ path: String) -> Int64? {
        var status = stat()
        return stat(path, &status) == 0 ? Int64(status.st_size) : nil
    }

    /// Who may do what with a file, and whether it is the user's own; nil where it cannot be asked for;
    /// stat(2).
    package static func permissions(_ path: String) -> (mode: UInt32, isOwn: Bool)? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        return (status.st_mode & 0o7777, status.st_uid == geteuid())
    }

    /// The numbers of the device that a file is on, such as `8:1`; nil where they cannot be asked for; stat(2).
    package static func device(of path: String) -> String? {
        var status = stat()
        guard stat(path, &status) == 0 else { return nil }
        let number = UInt64(status.st_dev)
        // As makedev(3) has put them together; its inverses are macros.
        let major = (number >> 8) & 0xFFF | (number >> 32) & ~0xFFF
        let minor = number & 0xFF | (number >> 12) & 0xFFFF_FF00
        return "\(major):\(minor)"
    }

    /// How large the file system of a path is, in bytes; statvfs(3).
    package static func totalBytes(_ path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int64(
            clamping: UInt64(status.f_blocks).multipliedReportingOverflow(
                by: UInt64(status.f_frsize)
            ).partialValue)
    }

    /// What is left for this user on the file system of a path, in bytes; statvfs(3).
    package static func freeBytes(_ path: String) -> Int64? {
        var status = statvfs()
        guard statvfs(path, &status) == 0 else { return nil }
        return Int64(
            clamping: UInt64(status.f_bavail).multipliedReportingOverflow(
                by: UInt64(status.f_frsize)
            ).partialValue)
    }
}

extension Files {
    /// Renames a file in its directory, in the place of one that is there: rename(2).
    package static func move(_ path: String, to target: String) throws(SystemError) {
        guard Glibc.rename(path, target) == 0 else { throw SystemError(errno, "rename to", target) }
    }

    /// Gives a file another name, and never takes the place of another file: throws `EEXIST` where
    /// something has the name; renameat2(2) with `RENAME_NOREPLACE`.
    ///
    /// Where the file system does not know that, an empty file holds the name for a moment, which a crash
    /// just then leaves there.
    package static func move(_ path: String, toFree target: String) throws(SystemError) {
        if clinux_rename_new(path, target) == 0 { return }
        // As those that FUSE brings.
        guard errno == EINVAL else { throw SystemError(errno, "rename to", target) }
        try self.move(path, overOwn: target)
    }

    /// The same with an empty file that holds the name meanwhile.
    static func move(_ path: String, overOwn target: String) throws(SystemError) {
        let number = open(target, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
        guard number >= 0 else { throw SystemError(errno, "create", target) }
        FileDescriptor(owning: number).close()
        do throws(SystemError) { try self.move(path, to: target) } catch {
            unlink(target)
            throw error
        }
    }
}
