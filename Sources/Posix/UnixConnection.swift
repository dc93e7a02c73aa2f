import CLinux
import Glibc

/// A blocking connection to a Unix socket, for programs without an event loop.
package final class UnixConnection {
    /// The socket, for those who wait on several descriptors with ``waitUntilReadable(_:timeoutMilliseconds:)``.
    package let descriptor: FileDescriptor
    private let path: String

    /// Connects; when ``SystemError/meansNobodyListens`` is true there is no daemon.
    ///
    /// With a time, neither this nor a write takes longer, and then throws `EAGAIN` or `ETIMEDOUT`.
    /// Throws `ENAMETOOLONG` for a path of more than 107 bytes, `EACCES` for another user's socket, `EPERM` for
    /// one that another user may have put in the place of the daemon's.
    package init(path: String, timeoutMilliseconds: Int? = nil) throws(SystemError) {
        let number = clinux_stream_socket(AF_UNIX, 0)
        guard number >= 0 else { throw SystemError(errno, "socket", path) }
        let descriptor = FileDescriptor(owning: number)
        if let timeoutMilliseconds {
            // Governs connect as well, which waits while the daemon's queue is full: socket(7).
            var time = timeval(
                tv_sec: timeoutMilliseconds / 1_000,
                tv_usec: max(1, timeoutMilliseconds % 1_000 * 1_000))
            setsockopt(
                number, SOL_SOCKET, SO_SNDTIMEO, &time, socklen_t(MemoryLayout<timeval>.size))
        }
        while try UnixAddress.withSockaddr(path, { connect(number, $0, $1) }) != 0 {
            let code = errno
            if code == EINTR, !Interrupts.isWaiting { continue }
            // After an interrupted connect the second call finds it done.
            if code == EISCONN { break }
            let advice =
                code == ENOENT || code == ECONNREFUSED
                ? "no daemon listens there; start stoad or name its socket with --socket" : nil
            throw SystemError(code, "connect to", path, advice: advice)
        }
        self.path = path
        self.descriptor = descriptor
        try self.checkServer()
    }

    /// Whether a user may serve this one: the user themselves, root, or, where nobody else could put a socket in
    /// the place of theirs, the user whose folder it is, as the daemon of a service.
    static func mayServe(
        _ server: UInt32, own: UInt32, folderOwner: UInt32, folderMode: UInt32
    ) -> Bool {
        if server == own || server == 0 { return true }
        return folderMode & S_IWOTH == 0 && [0, own, server].contains(folderOwner)
    }

    private func checkServer() throws(SystemError) {
        let server = try PeerCredentials(of: self.descriptor).userID
        var folder = stat()
        let parent = self.path.lastIndex(of: "/").map { String(self.path[...$0]) } ?? "."
        guard stat(parent, &folder) == 0 else { throw SystemError(errno, "stat", parent) }
        guard
            Self.mayServe(
                server, own: geteuid(), folderOwner: folder.st_uid, folderMode: folder.st_mode)
        else {
            throw SystemError(
                EPERM, "connect to", self.path,
                advice:
                    "another user serves this socket, and could read what you write: start your own "
                    + "daemon, or name a socket in a folder that others cannot write to")
        }
    }

    /// Writes all bytes, waiting as long as it takes; throws `EPIPE` when the daemon has closed.
    package func writeAll(_ bytes: [UInt8]) throws(SystemError) {
        var sent = 0
        while sent < bytes.count {
            switch self.descriptor.send(bytes, from: sent) {
            case .bytes(let count): sent += count
            // The socket blocks, so this is the time that is up, or an interrupt.
            case .wouldBlock: throw SystemError(ETIMEDOUT, "write to", self.path)
            case .failed(let error): throw SystemError(error.code, "write to", self.path)
            }
        }
    }

    /// Waits for bytes and reads them into the front of a buffer; returns 0 at the end.
    ///
    /// Returns nil when the time is up first. Without a limit it waits for ever. Throws `EINTR` where
    /// ``Interrupts`` has a signal.
    package func readSome(
        into buffer: inout [UInt8], timeoutMilliseconds: Int? = nil
    ) throws(SystemError) -> Int? {
        let interrupts = Interrupts.descriptor.map { [$0] } ?? []
        if timeoutMilliseconds != nil || !interrupts.isEmpty {
            let ready = try waitUntilReadable(
                [self.descriptor.number] + interrupts, timeoutMilliseconds: timeoutMilliseconds)
            guard !Interrupts.isWaiting else { throw SystemError(EINTR, "read from", self.path) }
            guard ready.contains(self.descriptor.number) else { return nil }
        }
        switch self.descriptor.read(into: &buffer) {
        case .bytes(let count): return count
        case .wouldBlock: return nil
        case .end: return 0
        case .failed(let error): throw SystemError(error.code, "read from", self.path)
        }
    }
}

/// Waits until some of the descriptors have bytes, an end or an error to read, and returns those.
///
/// Returns an empty list when the time is up first; without a limit it waits for ever. The
/// descriptors stay the caller's. Uses poll(2).
package func waitUntilReadable(
    _ descriptors: [Int32], timeoutMilliseconds: Int? = nil
) throws(SystemError) -> [Int32] {
    var entries = descriptors.map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let deadline = timeoutMilliseconds.map {
        SystemClock.monotonicMilliseconds() + UInt64(max(0, $0))
    }
    while true {
        var left: Int32 = -1
        if let deadline {
            let now = SystemClock.monotonicMilliseconds()
            left = now >= deadline ? 0 : Int32(clamping: deadline - now)
        }
        let count = poll(&entries, nfds_t(entries.count), left)
        if count > 0 { return entries.filter { $0.revents != 0 }.map(\.fd) }
        if count == 0 {
            // A wait longer than poll can count goes on.
            if left == Int32.max { continue }
            return []
        }
        guard errno == EINTR else { throw .ofDescriptor(errno, "poll") }
    }
}
