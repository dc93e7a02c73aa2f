package import ControlAPI
internal import Posix

/// What can be found out of the machine itself, by whoever asks what is wrong: the command, and the daemon.
extension DiagnosisFacts {
    /// Where `stoad@.socket` listens, one folder an account.
    private static let accounts = "/run/stoa"
    private static let procLimitBytes = 4 << 20

    /// Looks which networks this machine is in, whether multicast passes its own rules on each interface, and
    /// who else speaks multicast DNS.
    ///
    /// Call it once the daemon has said what it knows: ``status``, ``dials`` and ``diagnosis`` say what to look
    /// for. It blocks, 0.6 s for each interface on which multicast does not pass.
    package mutating func lookAtNetwork() {
        let interfaces = try? NetworkInterface.all()
        self.hasNetwork = interfaces?.contains {
            $0.isUp && !$0.isLoopback && !$0.addresses.isEmpty
        }
        self.addresses = Set((interfaces ?? []).flatMap(\.addresses).map(\.description))
        self.lookAtNetworks(interfaces ?? [])
        self.avahiRuns = Files.exists("/run/avahi-daemon/socket")
        let holders = SocketHolders(
            accounts: Self.text("/etc/passwd"), program: SocketHolders.program)
        let sockets = ["/proc/net/udp", "/proc/net/udp6"].map(Self.text).joined()
        self.lookAtTakenPorts(holders)
        self.otherResponders = MulticastHolders.names(
            sockets: sockets, holders, own: ProcessEnvironment.userID
        ) { Files.exists("\(Self.accounts)/\($0)/control.sock") }
    }

    /// Who holds the ports that the daemon should listen on and does not.
    private mutating func lookAtTakenPorts(_ holders: SocketHolders) {
        guard let taken = self.diagnosis?.taken, !taken.isEmpty else { return }
        let table = ["/proc/net/tcp", "/proc/net/tcp6"].map(Self.text).joined()
        for address in taken {
            guard let port = SocketAddress(address)?.port else { continue }
            self.portHolders[address] = holders.holder(
                of: SocketHolders.sockets(of: port, in: table, isTCP: true))
        }
    }

    /// Which networks this machine is in, who is in none of them, and whether multicast passes.
    private mutating func lookAtNetworks(_ interfaces: [NetworkInterface]) {
        let up = interfaces.filter { $0.isUp && !$0.isLoopback && !$0.addresses.isEmpty }
        let subnets = up.flatMap(\.subnets)
        self.networks = subnets.filter { !$0.address.isLinkLocal || !$0.address.isIPv6 }
            .map(\.description)
        let places =
            self.dials.flatMap(\.addresses) + (self.diagnosis?.unheard.map(\.address) ?? [])
        for place in places {
            guard let ip = SocketAddress(place)?.ip, !ip.isLoopback,
                !subnets.contains(where: { $0.contains(ip) })
            else { continue }
            self.foreignHosts.insert(ip.description)
        }
        guard let status = self.status, status.discovery.mode != "off" else { return }
        // What the daemon does not listen on it does not announce itself on.
        let used = Set(status.listen.compactMap { SocketAddress($0)?.ip })
        self.multicast = up.filter { !$0.isPointToPoint && !used.isDisjoint(with: $0.addresses) }
            .compactMap(MulticastCheck.of)
    }

    /// Looks at the modes of the files in a data directory that are for its user alone.
    package mutating func lookAtFiles(in folder: String) {
        self.files = ["", "/identity.key", "/stoa.db"].compactMap { name in
            Files.permissions(folder + name).map {
                PrivateFile(
                    path: folder + name, mode: $0.mode, isOwn: $0.isOwn, isFolder: name.isEmpty)
            }
        }
    }

    /// Looks how much room is left where a data directory lies, and whether the disk of a locked one is encrypted.
    package mutating func lookAtDisk(of folder: String) {
        self.freeBytes = Files.freeBytes(folder)
        self.locked?.isEncrypted = DiskEncryption.isDone(under: folder)
    }

    private static func text(_ path: String) -> String {
        String(
            decoding: (try? Files.read(path, limitBytes: Self.procLimitBytes)) ?? [],
            as: UTF8.self)
    }
}
