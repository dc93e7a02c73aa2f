import CLinux
import Glibc

/// An open regular file that is read and written by place; closed with its last reference.
package final class RandomAccessFile: Sendable {
    private let descriptor: FileDescriptor
    private let path: String

    /// Opens a file for reading; throws `ENOENT` where there is none, `EINVAL` for what is no regular file.
    package convenience init(reading path: String) throws(SystemError) {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NONBLOCK)
        guard number >= 0 else { throw SystemError(errno, "open", path) }
        try self.init(adopting: FileDescriptor(owning: number), path: path)
    }

    /// Opens a file for reading and writing; makes an empty one that is the user's alone where there is
    /// none.
    package convenience init(writing path: String) throws(SystemError) {
        let number = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
        guard number >= 0 else { throw SystemError(errno, "open", path) }
        try self.init(adopting: FileDescriptor(owning: number), path: path)
    }

    /// Takes over a descriptor that somebody else has opened; throws `EINVAL` for what is no regular
    /// file, since a pipe or a device might never end.
    package init(
        adopting descriptor: consuming FileDescriptor, path: String
    ) throws(SystemError) {
        self.path = path
        var status = stat()
        guard fstat(descriptor.number, &status) == 0 else {
            throw .ofDescriptor(errno, "stat", path)
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw SystemError(
                status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EINVAL, "read", path,
                advice: "it must be a regular file")
        }
        self.descriptor = descriptor
    }

    /// Its bytes: fstat(2).
    package var size: UInt64 {
        var status = stat()
        guard fstat(self.descriptor.number, &status) == 0 else { return 0 }
        return UInt64(clamping: status.st_size)
    }

    /// By what it can be found also where it has no name, or another one by now: proc(5).
    private var ownPath: String { "/proc/self/fd/\(self.descriptor.number)" }

    /// Gives a name to a file that has none; throws `EEXIST` where something has the name: linkat(2).
    package func link(to path: String) throws(SystemError) {
        guard linkat(AT_FDCWD, self.ownPath, AT_FDCWD, path, AT_SYMLINK_FOLLOW) == 0 else {
            throw SystemError(errno, "create", path)
        }
    }

    /// Reads bytes; fewer where the file ends: pread(2).
    package func read(at place: UInt64, count wanted: Int) throws(SystemError) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            count = 0
            while count < wanted, let start = buffer.baseAddress {
                let result = pread(
                    self.descriptor.number, start + count, wanted - count,
                    off_t(clamping: place) + off_t(count))
                if result < 0 && errno == EINTR { continue }
                if result < 0 { failure = errno }
                guard result > 0 else { return }
                count += result
            }
        }
        guard failure == 0 else { throw SystemError(failure, "read", self.path) }
        return bytes
    }

    /// Writes all bytes: pwrite(2).
    package func write(_ bytes: [UInt8], at place: UInt64) throws(SystemError) {
        var failure: SystemError?
        bytes.withUnsafeBytes { buffer in
            do throws(SystemError) {
                try self.write(buffer, at: place, through: self.descriptor.number)
            } catch { failure = error }
        }
        if let failure { throw failure }
    }

    /// Writes all bytes through one of the descriptors of this file.
    func write(
        _ bytes: UnsafeRawBufferPointer, at place: UInt64, through number: Int32
    ) throws(SystemError) {
        var written = 0
        while written < bytes.count, let start = bytes.baseAddress {
            let result = pwrite(
                number, start + written, bytes.count - written,
                off_t(clamping: place) + off_t(written))
            if result < 0 && errno == EINTR { continue }
            guard result >= 0 else { throw SystemError(errno, "write", self.path) }
            written += result
        }
    }

    /// Makes the file so long at least, with room for all of it; false where its file system knows no such
    /// room: fallocate(2).
    ///
    /// Throws `ENOSPC` where the disk has less, and nothing is taken then, so that nobody else finds it full
    /// meanwhile. Where it turns out later, as by a quota (`EDQUOT`), what was taken is given back, unless
    /// something was written before.
    func takeRoom(_ bytes: UInt64) throws(SystemError) -> Bool {
        var status = stat()
        guard fstat(self.descriptor.number, &status) == 0 else {
            throw .ofDescriptor(errno, "stat", self.path)
        }
        let wanted = Int64(clamping: bytes) - Int64(status.st_blocks) * 512
        // Where a file system does not say what is free it says 0.
        if let free = Files.freeBytes(self.ownPath), free > 0, free < wanted {
            throw SystemError(ENOSPC, "make room for", self.path)
        }
        while clinux_take_room(self.descriptor.number, off_t(clamping: bytes)) != 0 {
            if errno == EINTR { continue }
            let error = SystemError(errno, "make room for", self.path)
            guard error.meansDiskFull else { return false }
            if status.st_blocks == 0 {
                try self.setSize(0)
                try self.setSize(UInt64(clamping: status.st_size))
            }
            throw error
        }
        return true
    }

    /// Opens it once more to write past the page cache; nil where its file system cannot: open(2) with
    /// `O_DIRECT`.
    func openUncached() -> FileDescriptor? {
        let number = clinux_open_uncached(self.ownPath)
        return number >= 0 ? FileDescriptor(owning: number) : nil
    }

    /// Makes the file so long; what is added takes no room until it is written: ftruncate(2).
    package func setSize(_ size: UInt64) throws(SystemError) {
        guard ftruncate(self.descriptor.number, off_t(clamping: size)) == 0 else {
            throw SystemError(errno, "resize", self.path)
        }
    }

    /// Makes what was written durable: fdatasync(2).
    package func sync() throws(SystemError) {
        guard fdatasync(self.descriptor.number) == 0 else {
            throw SystemError(errno, "sync", self.path)
        }
    }

    /// Has what was written go to the disk, and what is there already leave the memory: posix_fadvise(2).
    ///
    /// It is advice: nothing waits, and nothing is said where it is not followed.
    package func letGo() {
        posix_fadvise(self.descriptor.number, 0, 0, POSIX_FADV_DONTNEED)
    }

    // `SEEK_DATA`, which Glibc's module lacks: linux/fs.h.
    private static let seekData: Int32 = 3

    /// Where the next byte stands, from a place on, that was ever written; nil where none does: lseek(2)
    /// with `SEEK_DATA`.
    package func firstData(from place: UInt64) -> UInt64? {
        let found = lseek(self.descriptor.number, off_t(clamping: place), Self.seekData)
        if found >= 0 { return UInt64(found) }
        // A file system that does not know holes has written everything.
        return errno == ENXIO ? nil : place
    }
}
