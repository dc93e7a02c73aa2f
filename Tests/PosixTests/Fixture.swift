import Glibc
import Posix
import Testing

/// The permission bits of a file.
func mode(of path: String) throws -> UInt32 {
    var status = stat()
    try #require(stat(path, &status) == 0)
    return status.st_mode & 0o777
}

/// Waits until a descriptor is ready, for at most a minute.
func wait(for number: Int32, events: Int32) throws {
    var entry = pollfd(fd: number, events: Int16(events), revents: 0)
    try #require(poll(&entry, 1, 60_000) == 1)
}

/// Tells whether an accept brought nothing; what it brought is closed.
func isNothing(_ accepted: consuming FileDescriptor?) -> Bool {
    guard let descriptor = accepted else { return true }
    descriptor.close()
    return false
}
