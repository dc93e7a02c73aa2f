import Glibc
import Posix
import Testing

/// A fresh private directory, removed with its content at the end.
final class TemporaryDirectory {
    let path: String

    init() throws {
        var template = Array("/tmp/stoa-test-XXXXXX".utf8CString)
        try #require(mkdtemp(&template) != nil)
        self.path = String(decoding: template.prefix { $0 != 0 }.map(UInt8.init), as: UTF8.self)
    }

    deinit {
        TemporaryDirectory.removeAll(self.path)
    }

    /// Removes a directory with all that is in it.
    private static func removeAll(_ path: String) {
        guard let directory = opendir(path) else {
            unlink(path)
            return
        }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { TemporaryDirectory.removeAll("\(path)/\(name)") }
        }
        closedir(directory)
        rmdir(path)
    }

    /// The path of something in it.
    func callAsFunction(_ name: String) -> String { "\(self.path)/\(name)" }

    /// The names in it, in order.
    var names: [String] {
        var found: [String] = []
        guard let directory = opendir(self.path) else { return [] }
        while let entry = readdir(directory) {
            let name = withUnsafePointer(to: &entry.pointee.d_name) {
                $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
            }
            if name != ".", name != ".." { found.append(name) }
        }
        closedir(directory)
        return found.sorted()
    }
}

/// The permission bits of a file.
func mode(of path: String) throws -> UInt32 {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status.st_mode & 0o777
}

/// Waits until a descriptor is ready, for at most ten seconds.
func wait(for number: Int32, events: Int32) throws {
    var entry = pollfd(fd: number, events: Int16(events), revents: 0)
    try #require(poll(&entry, 1, 10_000) == 1)
}

/// Tells whether an accept brought nothing; what it brought is closed.
func isNothing(_ accepted: consuming FileDescriptor?) -> Bool {
    guard let descriptor = accepted else { return true }
    descriptor.close()
    return false
}
