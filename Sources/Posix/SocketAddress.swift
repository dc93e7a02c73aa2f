import Glibc

/// An IP address and a port.
///
/// Written `192.0.2.1:4000`, `[2001:db8::1]:4000` or `[fe80::1%eth0]:4000`.
package struct SocketAddress: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The address, with its interface if it is link-local IPv6.
    package let ip: IPAddress
    /// The port; 0 asks the system to choose one when binding.
    package let port: UInt16

    /// Makes an address from its parts.
    package init(ip: IPAddress, port: UInt16) {
        self.ip = ip
        self.port = port
    }

    /// Reads `HOST:PORT` with a numeric host, IPv6 in brackets; nil for anything else.
    ///
    /// Host names are not looked up, see ``resolve(_:)``.
    package init?(_ text: some StringProtocol) {
        guard let (host, port) = SocketAddress.split(text), let ip = IPAddress(host) else {
            return nil
        }
        // Brackets tell the colons of an address from the one before the port.
        guard ip.isIPv6 == text.hasPrefix("[") else { return nil }
        self.init(ip: ip, port: port)
    }

    /// Looks a `HOST:PORT` up, where the host may be a name, and returns all addresses in order.
    ///
    /// Blocks, perhaps for many seconds, so it is never called on the event loop. A numeric
    /// address comes back as it is. Throws when the text has no port or the name is unknown.
    /// Uses getaddrinfo(3).
    package static func resolve(_ text: some StringProtocol) throws(SystemError) -> [SocketAddress]
    {
        if let address = SocketAddress(text) { return [address] }
        guard let (host, port) = SocketAddress.split(text), !host.isEmpty,
            !host.utf8.contains(0)
        else {
            throw SystemError(
                EINVAL, "resolve", String(text), advice: "write HOST:PORT or [IPV6]:PORT")
        }
        var hints = addrinfo()
        hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        var first: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, nil, &hints, &first)
        guard status == 0 else {
            let code = status == EAI_SYSTEM ? errno : EHOSTUNREACH
            let reason = String(cString: gai_strerror(status))
            throw SystemError(code, "resolve", host, advice: "\(reason)")
        }
        defer { freeaddrinfo(first) }
        var found: Set<SocketAddress> = []
        var next = first
        while let entry = next {
            if let address = entry.pointee.ai_addr.flatMap({ SocketAddress(sockaddr: $0) }) {
                found.insert(SocketAddress(ip: address.ip, port: port))
            }
            next = entry.pointee.ai_next
        }
        return found.sorted()
    }

    /// Cuts the port off; the host loses its brackets.
    private static func split(_ text: some StringProtocol) -> (host: String, port: UInt16)? {
        guard let colon = text.lastIndex(of: ":") else { return nil }
        let digits = text[text.index(after: colon)...]
        // UInt16 would read a sign, too.
        guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }), let port = UInt16(digits) else {
            return nil
        }
        let host = text[..<colon]
        guard host.hasPrefix("[") else { return (String(host), port) }
        guard host.hasSuffix("]"), host.count >= 2 else { return nil }
        return (String(host.dropFirst().dropLast()), port)
    }

    /// The written form, which the text initializer reads back.
    package var description: String {
        self.ip.isIPv6 ? "[\(self.ip)]:\(self.port)" : "\(self.ip):\(self.port)"
    }

    /// Orders by address as ``IPAddress`` does, then by port.
    package static func < (left: SocketAddress, right: SocketAddress) -> Bool {
        (left.ip, left.port) < (right.ip, right.port)
    }
}

extension SocketAddress {
    /// Reads a C address of IPv4 or IPv6; nil for another family.
    init?(sockaddr pointer: UnsafePointer<sockaddr>) {  // lent by the C call that made it
        let raw = UnsafeRawPointer(pointer)
        switch Int32(pointer.pointee.sa_family) {
        case AF_INET:
            var four = raw.loadUnaligned(as: sockaddr_in.self)
            let bytes = withUnsafeBytes(of: &four.sin_addr) { [UInt8]($0) }
            guard let ip = IPAddress(bytes: bytes) else { return nil }
            self.init(ip: ip, port: UInt16(bigEndian: four.sin_port))
        case AF_INET6:
            var six = raw.loadUnaligned(as: sockaddr_in6.self)
            let bytes = withUnsafeBytes(of: &six.sin6_addr) { [UInt8]($0) }
            guard let ip = IPAddress(bytes: bytes, scope: six.sin6_scope_id) else { return nil }
            self.init(ip: ip, port: UInt16(bigEndian: six.sin6_port))
        default:
            return nil
        }
    }

    /// The address family of the C address.
    var family: Int32 { self.ip.isIPv6 ? AF_INET6 : AF_INET }

    /// Lends the C form for the length of a call.
    func withSockaddr<R>(_ body: (UnsafePointer<sockaddr>, socklen_t) -> R) -> R {
        if self.ip.isIPv6 {
            var six = sockaddr_in6()
            six.sin6_family = sa_family_t(AF_INET6)
            six.sin6_port = self.port.bigEndian
            six.sin6_scope_id = self.ip.scope
            withUnsafeMutableBytes(of: &six.sin6_addr) { $0.copyBytes(from: self.ip.bytes) }
            return withUnsafePointer(to: &six) {
                $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                    body($0, socklen_t(MemoryLayout<sockaddr_in6>.size))
                }
            }
        }
        var four = sockaddr_in()
        four.sin_family = sa_family_t(AF_INET)
        four.sin_port = self.port.bigEndian
        withUnsafeMutableBytes(of: &four.sin_addr) { $0.copyBytes(from: self.ip.bytes) }
        return withUnsafePointer(to: &four) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                body($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
