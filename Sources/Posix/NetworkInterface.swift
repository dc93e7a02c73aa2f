import Glibc

/// A network interface of this machine with its addresses.
package struct NetworkInterface: Hashable, Sendable {
    /// The name, such as `eth0`.
    package let name: String
    /// The index by which the kernel and link-local addresses name it.
    package let index: UInt32
    /// The flags of netdevice(7), such as `IFF_UP`.
    package let flags: UInt32
    /// Its addresses, in order of preference; those of link-local IPv6 carry the index.
    package let addresses: [IPAddress]
    /// The networks that it is in, one for each address.
    package let subnets: [Subnet]

    /// True when it is switched on: `IFF_UP`.
    package var isUp: Bool { self.flags & UInt32(IFF_UP) != 0 }
    /// True for the loopback interface: `IFF_LOOPBACK`.
    package var isLoopback: Bool { self.flags & UInt32(IFF_LOOPBACK) != 0 }
    /// True for tunnels with one other end: `IFF_POINTOPOINT`.
    package var isPointToPoint: Bool { self.flags & UInt32(IFF_POINTOPOINT) != 0 }
    /// True when it can multicast: `IFF_MULTICAST`.
    package var canMulticast: Bool { self.flags & UInt32(IFF_MULTICAST) != 0 }

    /// Lists all interfaces by index, also those that are down or have no address: getifaddrs(3).
    package static func all() throws(SystemError) -> [NetworkInterface] {
        var first: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&first) == 0 else { throw SystemError(errno, "getifaddrs") }
        defer { freeifaddrs(first) }
        var flags: [String: UInt32] = [:]
        var addresses: [String: Set<IPAddress>] = [:]
        var subnets: [String: Set<Subnet>] = [:]
        var next = first
        while let entry = next {
            let name = String(cString: entry.pointee.ifa_name)
            flags[name] = entry.pointee.ifa_flags
            if let address = entry.pointee.ifa_addr.flatMap({ SocketAddress(sockaddr: $0) }) {
                addresses[name, default: []].insert(address.ip)
                let mask = entry.pointee.ifa_netmask.flatMap { Self.mask($0, of: address) }
                if let mask {
                    subnets[name, default: []].insert(Subnet(address: address.ip, mask: mask))
                }
            }
            next = entry.pointee.ifa_next
        }
        var found: [NetworkInterface] = []
        for (name, flags) in flags {
            // One that went away in between has no index and is left out.
            guard let index = NetworkInterface.index(ofName: name) else { continue }
            found.append(
                NetworkInterface(
                    name: name, index: index, flags: flags,
                    addresses: addresses[name, default: []].sorted(),
                    subnets: subnets[name, default: []].sorted { $0.address < $1.address }))
        }
        return found.sorted { $0.index < $1.index }
    }

    /// The names of interfaces by which link-local addresses can be reached.
    package static var linkLocal: [String] {
        let all = (try? NetworkInterface.all()) ?? []
        return all.filter { interface in
            interface.isUp && interface.addresses.contains { $0.isIPv6 && $0.isLinkLocal }
        }.map(\.name)
    }

    /// The bytes of a mask; its family is that of the address, whatever it says itself.
    private static func mask(
        _ pointer: UnsafePointer<sockaddr>, of address: SocketAddress
    ) -> [UInt8] {
        let raw = UnsafeRawPointer(pointer)
        guard address.ip.isIPv6 else {
            var four = raw.loadUnaligned(as: sockaddr_in.self)
            return withUnsafeBytes(of: &four.sin_addr) { [UInt8]($0) }
        }
        var six = raw.loadUnaligned(as: sockaddr_in6.self)
        return withUnsafeBytes(of: &six.sin6_addr) { [UInt8]($0) }
    }

    /// Finds one interface by name; throws `ENODEV` with the names there are when it is missing.
    package static func named(_ name: String) throws(SystemError) -> NetworkInterface {
        let all = try NetworkInterface.all()
        if let found = all.first(where: { $0.name == name }) { return found }
        let names = all.map(\.name).joined(separator: ", ")
        throw SystemError(ENODEV, "find interface", name, advice: "there are: \(names)")
    }

    /// The index of an interface, or nil when there is none of that name: if_nametoindex(3).
    package static func index(ofName name: String) -> UInt32? {
        let index = if_nametoindex(name)
        return index == 0 ? nil : index
    }

    /// The name of an interface, or nil when there is none with that index: if_indextoname(3).
    package static func name(ofIndex index: UInt32) -> String? {
        var buffer = [CChar](repeating: 0, count: Int(IF_NAMESIZE))
        guard if_indextoname(index, &buffer) != nil else { return nil }
        return String(
            decoding: buffer.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }
}
