import CLinux
import Glibc

/// Opening, tuning and asking of stream sockets; the descriptors belong to the caller.
package enum StreamSocket {
    /// Bytes that wait unsent in the kernel at most before a socket stops being writable.
    ///
    /// More would sit in front of urgent frames that the priorities let go first.
    package static let notSentLowWaterBytes: Int32 = 32 * 1024

    /// Starts to connect without waiting, and returns the socket: connect(2).
    ///
    /// Wait until it is writable, then ask ``connectResult(of:)``. Throws when the system refuses
    /// at once, for instance without a route.
    ///
    /// - Parameter segmentBytes: how much data a packet has at most, both ways: `TCP_MAXSEG`, tcp(7), which the
    ///   peer is told of. Nil for what the network takes.
    package static func connect(
        to address: SocketAddress, segmentBytes: Int? = nil
    ) throws(SystemError) -> FileDescriptor {
        let number = clinux_stream_socket(address.family, 1)
        guard number >= 0 else { throw SystemError(errno, "socket", address.description) }
        let descriptor = FileDescriptor(owning: number)
        if let segmentBytes, clinux_set_segment(number, Int32(segmentBytes)) != 0 {
            throw .ofDescriptor(errno, "setsockopt")
        }
        let status = address.withSockaddr { Glibc.connect(number, $0, $1) }
        let code = errno
        // After EINTR the attempt goes on by itself, as after EINPROGRESS: connect(2).
        guard status == 0 || code == EINPROGRESS || code == EINTR else {
            throw .ofDescriptor(code, "connect", address.description)
        }
        return descriptor
    }

    /// The outcome of an attempt to connect, once the socket has become writable: `SO_ERROR`.
    ///
    /// Nil means connected. Call it once; asking clears the error.
    package static func connectResult(of descriptor: borrowing FileDescriptor) -> SystemError? {
        var code: Int32 = 0
        var length = socklen_t(MemoryLayout<Int32>.size)
        let status = getsockopt(descriptor.number, SOL_SOCKET, SO_ERROR, &code, &length)
        if status != 0 { return .ofDescriptor(errno, "getsockopt") }
        return code == 0 ? nil : SystemError(code, "connect")
    }

    /// Sets what every link needs: no delay, little unsent, and an end to silent peers: tcp(7), ip(7).
    ///
    /// Sent bytes that stay unacknowledged for the time given break the stream with `ETIMEDOUT`. The
    /// kernel asks a peer that was silent for `keepaliveSeconds` whether it is there, and again every
    /// five seconds; this wakes nobody up. A message that the host or its network cannot be reached
    /// breaks the stream at once with `EHOSTUNREACH` or `ENETUNREACH`.
    package static func tune(
        _ descriptor: borrowing FileDescriptor, userTimeoutMilliseconds: UInt32,
        keepaliveSeconds: Int32
    ) throws(SystemError) {
        let status = clinux_tune_tcp(
            descriptor.number, self.notSentLowWaterBytes, userTimeoutMilliseconds,
            keepaliveSeconds)
        guard status == 0 else { throw .ofDescriptor(errno, "setsockopt") }
    }

    /// What the kernel has counted of the packets of a TCP stream that carry data, from its beginning, each
    /// number modulo 2³²: `TCP_INFO`, tcp(7).
    package struct Packets: Equatable, Sendable {
        /// Sent, those included that were sent again.
        package var sent: UInt32
        /// Sent again.
        package var resent: UInt32
        /// Sent again though the peer had them, as it has said: RFC 2883.
        package var needless: UInt32
        package var received: UInt32
        /// Received while one before them was missing.
        package var early: UInt32
        /// How much data a packet has at most, and how large it may be by what is known of the way.
        package var segmentBytes: UInt32
        package var pathBytes: UInt32
        /// Bytes that were sent and are not acknowledged; how often the first were sent again since anything
        /// was; and packets of them that the peer has got behind what is missing.
        package var unacknowledgedBytes: UInt32
        package var resends: UInt32
        package var behind: UInt32
        /// Packets received, those without data included.
        package var arrived: UInt32
    }

    /// The counts of a stream; nil where the kernel is older than 5.4 and does not count all of it.
    package static func packets(of descriptor: borrowing FileDescriptor) -> Packets? {
        var counts = clinux_packets()
        guard clinux_count_packets(descriptor.number, &counts) == 0 else { return nil }
        return Packets(
            sent: counts.sent, resent: counts.resent, needless: counts.needless,
            received: counts.received, early: counts.early, segmentBytes: counts.segment,
            pathBytes: counts.path, unacknowledgedBytes: counts.unacknowledged,
            resends: counts.resends, behind: counts.behind, arrived: counts.arrived)
    }

    /// The own address of a socket: getsockname(2).
    package static func localAddress(
        of descriptor: borrowing FileDescriptor
    ) throws(SystemError) -> SocketAddress {
        try self.address("getsockname", descriptor.number, getsockname)
    }

    /// The address at the other end of a connected socket: getpeername(2).
    ///
    /// Throws `ENOTCONN` when the other side reset the stream before it was looked at.
    package static func remoteAddress(
        of descriptor: borrowing FileDescriptor
    ) throws(SystemError) -> SocketAddress {
        try self.address("getpeername", descriptor.number, getpeername)
    }

    private static func address(
        _ call: String, _ number: Int32,
        _ body: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
    ) throws(SystemError) -> SocketAddress {
        var storage = sockaddr_storage()
        var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
        var found: SocketAddress?
        var code: Int32 = 0
        withUnsafeMutablePointer(to: &storage) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                if body(number, $0, &length) == 0 {
                    found = SocketAddress(sockaddr: $0)
                } else {
                    code = errno
                }
            }
        }
        if let found { return found }
        throw .ofDescriptor(code == 0 ? EAFNOSUPPORT : code, call)
    }

    /// Takes the next connection off a listening socket, non-blocking; nil when none waits.
    ///
    /// Connections that broke while they waited are skipped. Throws when descriptors or memory run
    /// out; the listener then stays readable, so stop watching it for a while. Uses accept4(2).
    static func accept(_ listener: borrowing FileDescriptor) throws(SystemError) -> FileDescriptor?
    {
        while true {
            let number = clinux_accept(listener.number)
            if number >= 0 { return FileDescriptor(owning: number) }
            let code = errno
            switch code {
            case EAGAIN:
                return nil
            case EINTR, ECONNABORTED, EPROTO, ENOPROTOOPT, EHOSTDOWN, EHOSTUNREACH, ENETDOWN,
                ENETUNREACH, EOPNOTSUPP, EPERM:
                // accept(2): Linux passes on errors of the new socket; the listener is sound.
                continue
            default:
                throw .ofDescriptor(code, "accept")
            }
        }
    }
}
