internal import CLinux
internal import Glibc

/// Who is at the other end of a TCP connection within this machine.
package enum LoopbackPeer {
    /// The user whose process connected from a port of 127.0.0.1 to another of it.
    ///
    /// Nil where the kernel knows no such connection. Throws where it cannot be asked: sock_diag(7).
    package static func userID(port: UInt16, server: UInt16) throws(SystemError) -> UInt32? {
        var user: uid_t = 0
        if clinux_loopback_user(port, server, &user) == 0 { return user }
        if errno == ENOENT { return nil }
        throw SystemError(errno, "ask the kernel about", "127.0.0.1:\(port)")
    }
}
