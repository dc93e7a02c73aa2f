internal import Discovery
internal import Engine
internal import Formats
internal import Posix

/// Discovery as a shell runs it, and how it does, as `status` shows it.
///
/// A class, because backends may report while they are told to begin.
final class RunningDiscovery {
    private var discovery: (any ServiceDiscovery)?
    private var handler: (DiscoveryEvent) -> Void = { _ in }
    /// `off`, `starting`, `announced`, or `failed: ` and why.
    private(set) var state = "off"
    /// The own instance name, by which the own announcement is told from others'.
    private var ownName: String?
    private var search = ServiceSearch.open
    /// The networks that this machine is in, with the index of the interface, where that is loopback.
    private var networks: [(subnet: Subnet, loopback: UInt32?)] = []
    /// What was announced at addresses of other networks, until this machine is in one of them.
    private var foreign: [String: ServiceInstance] = [:]
    private static let foreignLimit = 256

    /// Whether the network is, or may be, told of this node.
    var isRunning: Bool { self.discovery != nil }

    /// Whether it works, and follows all that comes and goes: who is not seen then is not heard.
    var follows: Bool { self.state == "announced" && self.search == .open }

    /// The backend in use: `system`, `embedded` or `none`.
    var backend: String {
        switch self.discovery {
        case is SystemDiscovery: "system"
        case is EmbeddedDiscovery: "embedded"
        case let automatic as AutomaticDiscovery: automatic.usesSystem ? "system" : "embedded"
        default: "none"
        }
    }

    /// Takes the backend, which has not begun.
    func set(_ discovery: (any ServiceDiscovery)?) { self.discovery = discovery }

    /// Takes what the backend reports; nothing listens to it before the start.
    func report(_ event: DiscoveryEvent) { self.handler(event) }

    /// Announces this node and looks for others.
    func start(
        at address: SocketAddress, interface: String?,
        reporting handler: @escaping (DiscoveryEvent) -> Void = { _ in }
    ) {
        guard let discovery = self.discovery else { return }
        self.handler = handler
        let versions = ProtocolVersions.own
        let advertisement = Advertisement(
            port: address.port,
            txt: ["v": "\(versions.upperBound)", "min": "\(versions.lowerBound)"])
        self.ownName = advertisement.instanceName
        self.state = "starting"
        _ = self.followNetworks()
        discovery.start(advertising: advertisement, interface: interface)
        // A start searches, but it is the node that says how.
        discovery.search(.rest)
        discovery.search(self.search)
    }

    /// Asks again where a service is.
    func refresh(_ service: String) { self.discovery?.refresh(name: service) }

    /// Looks for services in another way; what is said before the start counts from the start on.
    func search(_ search: PeerSearch) {
        self.search =
            switch search {
            case .open: .open
            case .ask: .ask
            case .glance: .glance
            case .rest: .rest
            }
        self.discovery?.search(self.search)
    }

    /// Begins to say goodbye to the network; false where there is nothing to wait for.
    func stop(_ done: @escaping () -> Void) -> Bool {
        self.discovery?.stop(then: done)
        return self.discovery != nil
    }

    /// The goodbye is out.
    func stopped() {
        self.discovery = nil
        self.state = "off"
    }

    /// Takes a report; gives what the node is to know.
    func saw(_ event: DiscoveryEvent, _ log: Journal) -> Event? {
        switch event {
        case .advertised(let name):
            self.ownName = name
            self.state = "announced"
            log(.debug, "announced as \(name) by \(self.backend) discovery")
        case .found(let instance), .changed(let instance):
            guard instance.name != self.ownName else { return nil }
            return .found(self.service(instance))
        case .seen(let count): return .seen(services: count)
        case .lost(let name):
            self.foreign[name] = nil
            return .lost(name: name)
        case .failed(let reason):
            if self.state != "failed: \(reason)" {
                log(.warning, "discovery does not work: \(reason)")
            }
            self.state = "failed: \(reason)"
        }
        return nil
    }

    // MARK: Networks

    /// Takes the networks of this machine anew; gives the services that turn out to be in one.
    func followNetworks() -> [Event] {
        self.networks = ((try? NetworkInterface.all()) ?? []).flatMap { interface in
            interface.subnets.map { ($0, interface.isLoopback ? interface.index : nil) }
        }
        let waiting = self.foreign
        self.foreign = [:]
        return waiting.keys.sorted().compactMap { name in
            guard let service = waiting[name].map({ self.service($0) }), !service.isForeign else {
                return nil
            }
            return .found(service)
        }
    }

    /// A service with those of its addresses that are in a network of this machine: anybody may announce
    /// any host, and this machine's own loopback as well.
    private func service(_ instance: ServiceInstance) -> Service {
        let near = instance.addresses.filter { address in
            self.networks.contains { network in
                network.subnet.contains(address.ip)
                    && network.loopback.map { $0 == instance.interfaceIndex } ?? true
            }
        }
        let isForeign = near.isEmpty && !self.networks.isEmpty
        self.foreign[instance.name] = nil
        if isForeign, self.foreign.count < Self.foreignLimit {
            self.foreign[instance.name] = instance
        }
        let addresses = isForeign || self.networks.isEmpty ? instance.addresses : near
        return Service(
            name: instance.name, addresses: addresses.map(\.description), isForeign: isForeign)
    }
}

extension NodeShell {
    /// Starts to announce this node and to look for others.
    func startDiscovery() {
        guard let address = self.network.listening.addresses.first else { return }
        let (discovery, log) = (self.network.discovery, self.log)
        discovery.start(at: address, interface: self.configuration.interface) { event in
            self.turn {
                if let news = discovery.saw(event, log) { self.happened(news) }
            }
        }
    }

    /// Says goodbye to the network, in its own time.
    func stopDiscovery() {
        let discovery = self.network.discovery
        let isWaiting = discovery.stop {
            self.turn { discovery.stopped() }
        }
        if !isWaiting { discovery.stopped() }
    }
}
