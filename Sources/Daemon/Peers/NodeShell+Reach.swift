internal import Engine
internal import Formats
internal import Posix

/// Where devices of the own realms can dial this one from other networks.
extension NodeShell {
    /// Beginnings of names of interfaces that lead to nothing but programs on this machine: containers, and guests.
    private static let inside = [
        "docker", "br-", "virbr", "lxcbr", "lxdbr", "incusbr", "podman", "cni",
    ]

    /// Has the node know where this machine listens, at the start and whenever that may have changed.
    func tellReach() {
        let all = ((try? NetworkInterface.all()) ?? []).flatMap(\.addresses)
        self.happened(.reachable(self.reach, own: Set(all.map(Self.reachable))))
    }

    private static func reachable(_ ip: IPAddress) -> ReachableAddress {
        ip.isIPv6 ? .v6(ip.bytes) : .v4(ip.bytes)
    }

    private var reach: Reach? {
        let listening = self.network.listening.addresses
        guard self.configuration.sharesAddresses, let first = listening.first else { return nil }
        var addresses = listening.filter { $0.port == first.port }.map(\.ip)
        if let any = addresses.first(where: \.isWildcard) {
            addresses = Self.interfaces(self.configuration.interface).flatMap(\.addresses)
            // Listening on all of IPv6 is listening on IPv4, too.
            if !any.isIPv6 { addresses.removeAll(where: \.isIPv6) }
        }
        let reachable = addresses.sorted().map(Self.reachable).filter(\.isOneHost)
        return Reach(port: first.port, addresses: reachable.prefix(Limits.addressesPerTarget))
    }

    private static func interfaces(_ only: String?) -> [NetworkInterface] {
        ((try? NetworkInterface.all()) ?? []).filter { interface in
            interface.isUp && !interface.isLoopback && (only.map { $0 == interface.name } ?? true)
                && !self.inside.contains { interface.name.hasPrefix($0) }
        }
    }
}
