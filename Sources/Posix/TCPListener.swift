import CLinux
import Glibc

/// A listening TCP socket, non-blocking; closed with its last reference.
package final class TCPListener {
    /// The socket, to be watched for reading.
    package let descriptor: FileDescriptor
    /// What it is bound to, with the port that the system chose.
    package let localAddress: SocketAddress

    /// Connections that may wait to be accepted; half-open handshakes are bounded elsewhere.
    package static let backlog: Int32 = 128

    /// Binds and listens; port 0 takes a free one.
    ///
    /// The IPv6 wildcard also takes IPv4. With `mayPrecedeAddress` the address need not be usable
    /// yet: one that was just given to an interface is tentative for a second or two while the
    /// system looks for duplicates (RFC 4862 section 5.4), and connections reach the socket once
    /// that is over. Throws as bind(2) does, for instance `EADDRINUSE`.
    package init(
        on address: SocketAddress, mayPrecedeAddress: Bool = false
    ) throws(SystemError) {
        let context = address.description
        let number = clinux_stream_socket(address.family, 1)
        guard number >= 0 else { throw SystemError(errno, "socket", context) }
        let descriptor = FileDescriptor(owning: number)
        // Without it a restart on the same port waits for connections in TIME_WAIT: socket(7).
        var on: Int32 = 1
        let size = socklen_t(MemoryLayout<Int32>.size)
        guard setsockopt(number, SOL_SOCKET, SO_REUSEADDR, &on, size) == 0 else {
            throw .ofDescriptor(errno, "setsockopt", context)
        }
        if address.ip.isIPv6 {
            var onlyIPv6: Int32 = address.ip.isWildcard ? 0 : 1
            let status = setsockopt(
                number, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &onlyIPv6, size)
            guard status == 0 else { throw .ofDescriptor(errno, "setsockopt", context) }
        }
        if mayPrecedeAddress {
            let (level, option) =
                address.ip.isIPv6
                ? (Int32(IPPROTO_IPV6), IPV6_FREEBIND) : (Int32(IPPROTO_IP), IP_FREEBIND)
            guard setsockopt(number, level, option, &on, size) == 0 else {
                throw .ofDescriptor(errno, "setsockopt", context)
            }
        }
        guard address.withSockaddr({ bind(number, $0, $1) }) == 0 else {
            throw .ofDescriptor(errno, "bind", context)
        }
        guard listen(number, TCPListener.backlog) == 0 else {
            throw .ofDescriptor(errno, "listen", context)
        }
        self.localAddress = try StreamSocket.localAddress(of: descriptor)
        self.descriptor = descriptor
    }

    /// Listens on an address, or where its port is taken on the next free one of so many behind it.
    package static func open(
        on address: SocketAddress, nextPorts: Int
    ) throws(SystemError) -> TCPListener {
        var failure: SystemError?
        for step in 0...nextPorts {
            let port = Int(address.port) + (address.port == 0 ? 0 : step)
            guard let port = UInt16(exactly: port) else { break }
            do throws(SystemError) {
                return try TCPListener(on: SocketAddress(ip: address.ip, port: port))
            } catch {
                failure = failure ?? error
                guard error.code == EADDRINUSE else { throw error }
            }
        }
        throw failure ?? SystemError(EADDRINUSE, "bind", address.description)
    }

    /// Takes over a socket that listens already, as systemd hands it over, and makes it non-blocking.
    package init(adopting descriptor: consuming FileDescriptor) throws(SystemError) {
        let flags = fcntl(descriptor.number, F_GETFL)
        guard flags >= 0, fcntl(descriptor.number, F_SETFL, flags | O_NONBLOCK) == 0 else {
            throw .ofDescriptor(errno, "fcntl")
        }
        self.localAddress = try StreamSocket.localAddress(of: descriptor)
        self.descriptor = descriptor
    }

    /// Listens on all interfaces, or only on the addresses of one, with one port for all.
    ///
    /// Without an interface this is one listener for IPv6 and IPv4, or for IPv4 where there is no
    /// IPv6. With one there is a listener per address of it, which needs no privilege, as binding
    /// to the device would. Throws `ENODEV` for an unknown interface, `EADDRNOTAVAIL` for one
    /// without an address, and as bind(2) does.
    package static func open(
        port: UInt16 = 0, interface: String? = nil
    ) throws(SystemError) -> [TCPListener] {
        guard let interface else {
            do {
                return [try TCPListener(on: SocketAddress(ip: .anyIPv6, port: port))]
            } catch  where error.code == EAFNOSUPPORT || error.code == EADDRNOTAVAIL {
                return [try TCPListener(on: SocketAddress(ip: .anyIPv4, port: port))]
            }
        }
        let addresses = try NetworkInterface.named(interface).addresses
        guard !addresses.isEmpty else {
            throw SystemError(
                EADDRNOTAVAIL, "listen on interface", interface, advice: "it has no address yet")
        }
        // The port that one address gets may be taken on the next; then another round is due.
        var attemptsLeft = port == 0 ? 16 : 1
        while true {
            do {
                var listeners: [TCPListener] = []
                for ip in addresses {
                    let shared = listeners.first?.localAddress.port ?? port
                    listeners.append(
                        try TCPListener(
                            on: SocketAddress(ip: ip, port: shared), mayPrecedeAddress: true))
                }
                return listeners
            } catch {
                attemptsLeft -= 1
                guard error.code == EADDRINUSE, attemptsLeft > 0 else { throw error }
            }
        }
    }

    /// Takes the next connection, non-blocking; nil when none waits.
    ///
    /// Call it until it returns nil. Throws when descriptors or memory run out; the listener then
    /// stays readable, so stop watching it for a while. Uses accept4(2).
    package func accept() throws(SystemError) -> FileDescriptor? {
        try StreamSocket.accept(self.descriptor)
    }
}
