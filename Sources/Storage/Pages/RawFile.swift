internal import Engine
internal import Formats
internal import Glibc

/// A file that is read by place, past SQLite.
///
/// Only while the store is closed in this process: closing a descriptor drops SQLite's locks.
final class RawFile {
    let path: String
    private let descriptor: Int32
    /// The file's length in bytes when it was opened.
    let count: Int

    /// Opens a file; nil where there is none.
    init?(path: String) throws(StoreFailure) {
        self.path = path
        self.descriptor = open(path, O_RDONLY | O_CLOEXEC)
        guard self.descriptor >= 0 else {
            if errno == ENOENT { return nil }
            throw StoreFailure(systemError: errno, doing: "open the file", path: path)
        }
        self.count = max(0, Int(lseek(self.descriptor, 0, SEEK_END)))
    }

    deinit { close(self.descriptor) }

    /// Reads bytes; fewer where the file ends.
    func read(at place: Int, count wanted: Int) throws(StoreFailure) -> [UInt8] {
        var failure: Int32 = 0
        let bytes = [UInt8](unsafeUninitializedCapacity: wanted) { buffer, count in
            count = 0
            while count < wanted, let start = buffer.baseAddress {
                let result = pread(
                    self.descriptor, start + count, wanted - count, off_t(place + count))
                if result < 0 && errno == EINTR { continue }
                if result < 0 { failure = errno }
                guard result > 0 else { return }
                count += result
            }
        }
        guard failure == 0 else {
            throw StoreFailure(systemError: failure, doing: "read the file", path: self.path)
        }
        return bytes
    }
}
