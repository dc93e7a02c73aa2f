import Glibc

/// Whether multicast passes this machine's own rules: a packet that is sent to a group on an interface is
/// heard again by this machine, unless something drops it on the way out or in.
///
/// It says nothing of the network beyond the interface. `IP_MULTICAST_LOOP`, ip(7).
package enum MulticastEcho {
    /// Sends bytes to an IPv4 group on an interface and waits for them; true once they are heard, false
    /// where the time is up first.
    ///
    /// Others on this machine may be bound to the port, too. Throws as socket(2), bind(2), setsockopt(2)
    /// and sendto(2) do: `EPERM` of the last where a rule forbids to send.
    package static func isHeard(
        _ bytes: [UInt8], group: SocketAddress, interface: NetworkInterface,
        withinMilliseconds limit: Int
    ) throws(SystemError) -> Bool {
        precondition(!group.ip.isIPv6, "the group is of IPv4")
        let type = Int32(SOCK_DGRAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue)
        let number = socket(AF_INET, type, 0)
        guard number >= 0 else { throw SystemError(errno, "socket") }
        let descriptor = FileDescriptor(owning: number)
        try Self.join(descriptor, group, interface)
        let sent = bytes.withUnsafeBytes { buffer in
            group.withSockaddr { sendto(number, buffer.baseAddress, buffer.count, 0, $0, $1) }
        }
        guard sent == bytes.count else { throw .ofDescriptor(errno, "send to", "\(group)") }
        let end = SystemClock.monotonicMilliseconds() + UInt64(max(0, limit))
        var heard = [UInt8](repeating: 0, count: 9_000)
        while true {
            let now = SystemClock.monotonicMilliseconds()
            guard now < end,
                try !waitUntilReadable([number], timeoutMilliseconds: Int(end - now)).isEmpty
            else { return false }
            if case .bytes(let count) = descriptor.read(into: &heard),
                heard.prefix(count).elementsEqual(bytes)
            {
                return true
            }
        }
    }

    /// Binds to the group alone, so that nothing that is sent to others on this port is taken from them.
    private static func join(
        _ descriptor: borrowing FileDescriptor, _ group: SocketAddress,
        _ interface: NetworkInterface
    ) throws(SystemError) {
        let number = descriptor.number
        var on: Int32 = 1
        guard
            setsockopt(
                number, SOL_SOCKET, SO_REUSEADDR, &on, socklen_t(MemoryLayout<Int32>.size)) == 0,
            group.withSockaddr({ bind(number, $0, $1) }) == 0
        else { throw .ofDescriptor(errno, "bind", "\(group)") }
        var request = ip_mreqn()
        withUnsafeMutableBytes(of: &request.imr_multiaddr) { $0.copyBytes(from: group.ip.bytes) }
        request.imr_ifindex = Int32(interface.index)
        let size = socklen_t(MemoryLayout<ip_mreqn>.size)
        for option in [IP_MULTICAST_IF, IP_ADD_MEMBERSHIP] {
            guard setsockopt(number, Int32(IPPROTO_IP), option, &request, size) == 0 else {
                throw .ofDescriptor(errno, "join", "\(group) on \(interface.name)")
            }
        }
    }
}
