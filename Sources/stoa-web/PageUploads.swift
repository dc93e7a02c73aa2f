import Glibc
import Posix
import Web

/// Contents of files that the page has given and that are to be sent; they have no name in any folder.
struct PageUploads {
    final class File {
        let descriptor: FileDescriptor
        /// Until when something is to come, or, once all has come, until when somebody is to want it.
        fileprivate(set) var due: UInt64
        fileprivate(set) var isComplete = false

        fileprivate init(_ descriptor: consuming FileDescriptor) {
            self.descriptor = descriptor
            self.due = WebShell.now + WebLimits.uploadMilliseconds
        }

        /// Adds what has come; false where the disk does not take it.
        func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
            self.due = WebShell.now + WebLimits.uploadMilliseconds
            var rest = bytes[...]
            while !rest.isEmpty {
                let part = UnsafeRawBufferPointer(rebasing: rest)
                let count = Glibc.write(self.descriptor.number, part.baseAddress, part.count)
                if count < 0, errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }

        var size: UInt64 {
            var status = stat()
            return fstat(self.descriptor.number, &status) == 0 ? UInt64(status.st_size) : 0
        }

        /// The descriptor, at the beginning of the content.
        func forReading() -> Int32 {
            lseek(self.descriptor.number, 0, SEEK_SET)
            return self.descriptor.number
        }
    }

    private var files: [Int64: File] = [:]
    private var last: Int64 = 0

    subscript(number: Int64) -> File? { self.files[number] }

    /// Makes room for one; nil where there are too many, or no room on the disk.
    mutating func begin() -> (number: Int64, file: File)? {
        guard self.files.count < WebLimits.uploads, let descriptor = Self.nameless() else {
            return nil
        }
        self.last += 1
        let file = File(descriptor)
        self.files[self.last] = file
        return (self.last, file)
    }

    /// All of it has come: it waits for the message that sends it.
    func complete(_ number: Int64) {
        guard let file = self.files[number] else { return }
        (file.isComplete, file.due) = (true, WebShell.now + WebLimits.uploadMilliseconds)
    }

    mutating func remove(_ number: Int64) { self.files[number] = nil }

    /// Takes in a file that lies somewhere, and takes its name away; nil where it cannot be read.
    mutating func adopt(_ path: String) -> Int64? {
        let number = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW)
        unlink(path)
        guard number >= 0 else { return nil }
        self.last += 1
        self.files[self.last] = File(FileDescriptor(owning: number))
        self.complete(self.last)
        return self.last
    }

    /// Lets those go that were sent; those that still come, or wait for their message, stay for their time.
    mutating func keepOnly(_ isNeeded: (Int64) -> Bool) {
        let now = WebShell.now
        self.files = self.files.filter { isNeeded($0.key) || $0.value.due > now }
    }

    var nextDue: UInt64? { self.files.values.map(\.due).min() }

    mutating func expire(at now: UInt64, _ isNeeded: (Int64) -> Bool) {
        for (number, file) in self.files where file.due <= now {
            // What waits for the daemon waits as long as it takes.
            if isNeeded(number) { file.due = .max } else { self.files[number] = nil }
        }
    }

    /// A file without a name where large files belong.
    private static func nameless() -> FileDescriptor? {
        let environment = ProcessEnvironment.variables()
        let places = [environment["XDG_CACHE_HOME"], environment["HOME"], "/var/tmp"]
        for place in places.compactMap(\.self) where place.hasPrefix("/") {
            let number = open(place, O_TMPFILE | O_RDWR | O_CLOEXEC, 0o600)
            if number >= 0 { return FileDescriptor(owning: number) }
        }
        return nil
    }

    // The definition of `O_TMPFILE` is an expression, which Swift does not import: fcntl.h.
    private static let O_TMPFILE: Int32 = 0o20_000_000 | O_DIRECTORY
}
