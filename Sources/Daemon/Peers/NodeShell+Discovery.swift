internal import Discovery
internal import Engine
internal import Posix

/// How discovery does, as `status` shows it.
struct DiscoveryStatus: Hashable, Sendable {
    /// The backend in use: `system`, `embedded` or `none`.
    var backend = "none"
    /// `off`, `starting`, `announced`, or `failed: ` and why.
    var state = "off"
    /// The own instance name, by which the own announcement is told from others'.
    var ownName: String?
}

extension NodeShell {
    /// Makes the backend; call it before other threads are started, since it sets a variable.
    func makeDiscovery() {
        self.discovery = self.configuration.discovery.makeDiscovery(loop: self.loop) { event in
            self.turn { self.saw(event) }
        }
        let log = self.log
        DiscoveryLog.setHandler { level, text in
            switch level {
            case .error, .warning: log(.debug, "avahi: \(text)")
            case .notice, .info, .debug: break
            }
        }
    }

    /// Starts to announce this node and to look for others.
    func startDiscovery() {
        guard let discovery = self.discovery, let address = self.listener?.addresses.first else {
            return
        }
        let advertisement = Advertisement(
            port: address.port, txt: ["v": "1", "min": "1"])
        self.discoveryStatus.ownName = advertisement.instanceName
        self.discoveryStatus.state = "starting"
        discovery.start(
            advertising: advertisement, interface: self.configuration.interface)
        self.noteBackend()
    }

    /// Says goodbye to the network; calls back when that is out, or at once without discovery.
    func stopDiscovery(then done: @escaping () -> Void) {
        guard let discovery = self.discovery else {
            done()
            return
        }
        discovery.stop {
            self.discovery = nil
            self.discoveryStatus.state = "off"
            self.turn(done)
        }
    }

    private func saw(_ event: DiscoveryEvent) {
        self.noteBackend()
        switch event {
        case .advertised(let name):
            self.discoveryStatus.ownName = name
            self.discoveryStatus.state = "announced"
            self.log(.debug, "announced as \(name) by \(self.discoveryStatus.backend) discovery")
        case .found(let instance), .changed(let instance):
            guard instance.name != self.discoveryStatus.ownName else { return }
            self.happened(
                .found(
                    Service(
                        name: instance.name, addresses: instance.addresses.map(\.description))))
        case .lost(let name): self.happened(Event.lost(name: name))
        case .failed(let reason):
            if self.discoveryStatus.state != "failed: \(reason)" {
                self.log(.warning, "discovery does not work at present: \(reason)")
            }
            self.discoveryStatus.state = "failed: \(reason)"
        }
    }

    private func noteBackend() {
        switch self.discovery {
        case is SystemDiscovery: self.discoveryStatus.backend = "system"
        case is EmbeddedDiscovery: self.discoveryStatus.backend = "embedded"
        case let automatic as AutomaticDiscovery:
            self.discoveryStatus.backend = automatic.usesSystem ? "system" : "embedded"
        default: self.discoveryStatus.backend = "none"
        }
    }
}
