import CLinux
import Glibc

/// Who is at the other end of a Unix socket, as the kernel saw it when it connected.
package struct PeerCredentials: Hashable, Sendable {
    package let processID: Int32
    /// The effective user id.
    package let userID: UInt32
    /// The effective group id.
    package let groupID: UInt32
    /// Asks the kernel about a connected Unix socket: `SO_PEERCRED`, unix(7).
    package init(of descriptor: borrowing FileDescriptor) throws(SystemError) {
        var pid: pid_t = 0
        var uid: uid_t = 0
        var gid: gid_t = 0
        guard clinux_peer_credentials(descriptor.number, &pid, &uid, &gid) == 0 else {
            throw .ofDescriptor(errno, "getsockopt")
        }
        self.processID = pid
        self.userID = uid
        self.groupID = gid
    }

    /// Asking for more groups than that would cost a client's connection more than 4 KiB.
    private static let groupLimit = 1_024

    /// Whether the process that connected a socket is in a group; of more than 1,024 supplementary groups
    /// none counts: `SO_PEERGROUPS`, unix(7).
    package func isMember(of group: UInt32, on descriptor: borrowing FileDescriptor) -> Bool {
        guard self.groupID != group else { return true }
        let number = descriptor.number
        return [UInt32](unsafeUninitializedCapacity: Self.groupLimit) { buffer, count in
            let found = clinux_peer_groups(number, buffer.baseAddress, Int32(Self.groupLimit))
            count = max(0, Int(found))
        }.contains(group)
    }
}

/// Addresses of Unix sockets.
enum UnixAddress {
    /// The longest path that fits `sun_path` with its final zero: unix(7).
    static let longestPathBytes = 107

    /// Lends the C form of a path for the length of a call; throws when it does not fit.
    static func withSockaddr(
        _ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemError) -> Int32 {
        let bytes = Array(path.utf8)
        guard !bytes.isEmpty, !bytes.contains(0) else {
            throw SystemError(EINVAL, "use socket path", path, advice: "name a file")
        }
        guard bytes.count <= self.longestPathBytes else {
            throw SystemError(
                ENAMETOOLONG, "use socket path", path,
                advice: "it has \(bytes.count) bytes and Unix sockets allow "
                    + "\(self.longestPathBytes); choose a shorter one with --socket")
        }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
    }
}

/// A listening Unix stream socket for the own user, non-blocking; closed with its last reference.
///
/// A socket that it made is removed from the file system then, one that systemd made stays.
package final class UnixListener {
    /// The socket, to be watched for reading.
    package let descriptor: FileDescriptor
    /// Where clients find it; nil for one that systemd handed over.
    package let path: String?
    private let identity: FileIdentity?

    /// Connections that may wait to be accepted.
    package static let backlog: Int32 = 64

    /// Makes a socket with mode 0600 in a directory that only the own user can enter.
    ///
    /// A missing directory is made, with mode 0700. A socket that is left over from a process that
    /// is gone is replaced; one that somebody still listens on is not: that throws `EADDRINUSE`.
    /// Throws `ENAMETOOLONG` for a path of more than 107 bytes. On error nothing was replaced.
    ///
    /// - Parameter group: whose members can connect, too; the mode is 0660 then, and the directory has
    ///   to be there, since who may enter it is not for the socket to say.
    package init(path: String, group: UInt32? = nil) throws(SystemError) {
        let number = clinux_stream_socket(AF_UNIX, 1)
        guard number >= 0 else { throw SystemError(errno, "socket", path) }
        let descriptor = FileDescriptor(owning: number)
        if group == nil { try Files.makePrivateDirectory(Files.parent(of: path)) }
        try UnixListener.removeStale(path)
        // Linux takes the mode of the new file from the unbound socket, so that there is no moment
        // at which others could open it.
        guard fchmod(number, 0o600) == 0 else { throw .ofDescriptor(errno, "fchmod", path) }
        guard try UnixAddress.withSockaddr(path, { bind(number, $0, $1) }) == 0 else {
            throw .ofDescriptor(errno, "bind", path)
        }
        if let group, chown(path, uid_t.max, group) != 0 {
            throw SystemError(
                errno, "chown", path, advice: "the user of the daemon has to be in that group")
        }
        guard chmod(path, group == nil ? 0o600 : 0o660) == 0 else {
            throw SystemError(errno, "chmod", path)
        }
        guard listen(number, UnixListener.backlog) == 0 else {
            throw .ofDescriptor(errno, "listen", path)
        }
        self.identity = try FileIdentity(path: path)
        self.path = path
        self.descriptor = descriptor
    }

    /// Takes over a socket that systemd made and listens on, and makes it non-blocking.
    package init(adopting descriptor: consuming FileDescriptor) throws(SystemError) {
        let flags = fcntl(descriptor.number, F_GETFL)
        guard flags >= 0, fcntl(descriptor.number, F_SETFL, flags | O_NONBLOCK) == 0 else {
            throw .ofDescriptor(errno, "fcntl")
        }
        self.path = nil
        self.identity = nil
        self.descriptor = descriptor
    }

    deinit {
        // Another process may have put its own socket there meanwhile; that one is not ours.
        guard let path = self.path, let now = try? FileIdentity(path: path), now == self.identity
        else { return }
        unlink(path)
    }

    /// Takes the next connection, non-blocking; nil when none waits.
    ///
    /// Call it until it returns nil, and check ``PeerCredentials``. Throws when descriptors or
    /// memory run out. Uses accept4(2).
    package func accept() throws(SystemError) -> FileDescriptor? {
        try StreamSocket.accept(self.descriptor)
    }

    private static func removeStale(_ path: String) throws(SystemError) {
        var status = stat()
        guard lstat(path, &status) == 0 else {
            if errno == ENOENT { return }
            throw SystemError(errno, "stat", path)
        }
        guard status.st_mode & S_IFMT == S_IFSOCK else {
            throw SystemError(
                EEXIST, "make socket", path, advice: "another kind of file is there; move it away")
        }
        let number = clinux_stream_socket(AF_UNIX, 1)
        guard number >= 0 else { throw SystemError(errno, "socket", path) }
        let probe = FileDescriptor(owning: number)
        let result = try UnixAddress.withSockaddr(path) { connect(probe.number, $0, $1) }
        let code = errno
        // Only a refusal proves that nobody listens; a full backlog (EAGAIN) proves the contrary.
        guard result != 0, code == ECONNREFUSED || code == ENOENT else {
            throw SystemError(
                EADDRINUSE, "make socket", path, advice: "another process listens on it already")
        }
        if code == ECONNREFUSED, unlink(path) != 0, errno != ENOENT {
            throw SystemError(errno, "unlink", path)
        }
    }
}
