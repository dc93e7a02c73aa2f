package import Loop

/// Discovery with the system's Avahi daemon if one answers at the start, else with an own stack.
///
/// Two mDNS stacks that announce get along badly on one host, so the own one is only the fallback. Once chosen, a
/// backend stays: if the daemon goes away it is waited for.
package final class AutomaticDiscovery: ServiceDiscovery {
    private let loop: EventLoop
    private let handler: (DiscoveryEvent) -> Void
    private var backend: (any ServiceDiscovery)?
    /// What was last asked for, which a backend that comes later is told.
    private var last = ServiceSearch.open

    /// Makes a backend that does nothing yet; events will come to the handler on the loop.
    ///
    /// Sets a variable in the environment, so call it before other threads read that.
    package init(loop: EventLoop, handler: @escaping (DiscoveryEvent) -> Void) {
        loop.checkIsolated()
        self.loop = loop
        self.handler = handler
    }

    /// True while the system's Avahi daemon is used or asked for.
    package var usesSystem: Bool { self.backend is SystemDiscovery }

    /// Chooses and starts, see ``ServiceDiscovery``.
    package func start(advertising advertisement: Advertisement?, interface: String?) {
        precondition(self.backend == nil, "discovery is started once")
        let system = SystemDiscovery(
            loop: self.loop,
            unavailable: { [weak self] in
                // A stop may have come first.
                guard let self, self.backend != nil else { return }
                let embedded = EmbeddedDiscovery(loop: self.loop, handler: self.handler)
                self.backend = embedded
                embedded.start(advertising: advertisement, interface: interface)
                embedded.search(.rest)
                embedded.search(self.last)
            }, handler: self.handler)
        self.backend = system
        system.start(advertising: advertisement, interface: interface)
    }

    /// Asks again for the addresses of an instance, see ``ServiceDiscovery``.
    package func refresh(name: String) {
        self.backend?.refresh(name: name)
    }

    /// Says how others are looked for, see ``ServiceDiscovery``.
    package func search(_ search: ServiceSearch) {
        self.last = search
        self.backend?.search(search)
    }

    /// Says goodbye and ends, see ``ServiceDiscovery``.
    package func stop(then done: @escaping () -> Void) {
        guard let backend = self.backend else { return self.loop.runLater(done) }
        self.backend = nil
        // The closure keeps the backend until its goodbye is out.
        backend.stop { withExtendedLifetime(backend) { done() } }
    }
}
