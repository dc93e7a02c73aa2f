internal import Formats

/// Services: how they are looked for, and which of them are dialled.
extension Dialling {
    /// Begins to look for peers: the node starts, or its network is another one.
    mutating func search(at now: Instant) -> [DiallingAction] {
        self.overflow.begin(at: now.monotonic)
        self.perform(self.search.begin(at: now.monotonic))
        return self.take()
    }

    /// The search has its turn.
    mutating func searchDue(
        at now: Instant, using random: inout some RandomNumberGenerator
    ) -> [DiallingAction] {
        let decision = self.search.due(
            hasPlaces: self.linked.count < self.budget.links, isAlone: self.linked.isEmpty,
            at: now.monotonic, using: &random)
        self.perform(decision)
        if decision.explores {
            self.explore(at: now, using: &random)
            self.armSeek(at: now)
        }
        return self.take()
    }

    /// Discovery sees so many services now.
    mutating func servicesSeen(_ count: Int, at now: Instant) -> [DiallingAction] {
        self.perform(self.search.saw(count, at: now.monotonic))
        return self.take()
    }

    /// Discovery sees a service, or sees it changed.
    mutating func serviceFound(
        _ service: Service, at now: Instant, using random: inout some RandomNumberGenerator
    ) -> [DiallingAction] {
        let id = TargetID.service(service.name)
        let addresses = Array(service.addresses.prefix(Limits.addressesPerTarget))
        guard !addresses.isEmpty else { return [] }
        self.spares.removeAll { $0.name == service.name }
        if var target = self.targets[id] {
            let isNew = target.addresses != addresses || target.isForeign != service.isForeign
            target.isGone = false
            target.setForeign(service.isForeign, at: now)
            target.addresses = addresses
            if let address = target.peerAddress, !addresses.contains(address) {
                target.forgetPeer()
            }
            self.targets[id] = target
            if isNew { self.queueService(id) }
        } else {
            let places = addresses.joined(separator: ", ")
            self.tell("discovered \(service.name) at \(places)")
            self.noteService(service.name, at: now)
            self.addService(service, at: now)
        }
        self.dialWaiting(at: now, using: &random)
        self.armSeek(at: now)
        return self.take()
    }

    /// Discovery no longer sees a service; one whose peer is linked goes with the link.
    mutating func serviceLost(_ name: String, at now: Instant) -> [DiallingAction] {
        let id = TargetID.service(name)
        self.spares.removeAll { $0.name == name }
        self.tried.remove(id)
        guard let target = self.targets[id] else { return [] }
        self.tell("discovery lost \(name)")
        if let peer = target.peer, self.linked.contains(peer) {
            self.targets[known: id].isGone = true
            self.perform(.disarm(.redial(id)))
        } else {
            self.removeTarget(id)
            self.takeSpare(at: now)
        }
        return self.take()
    }

    /// Gives a place that is free to the service that has waited for one longest.
    private mutating func takeSpare(at now: Instant) {
        guard self.targets.count < Limits.targets, !self.spares.isEmpty else { return }
        self.addService(self.spares.removeFirst(), at: now)
    }

    /// Has a service that was dialled in vain wait while others do, of which one takes its place; false where
    /// none does.
    mutating func giveTurn(_ id: TargetID, at now: Instant) -> Bool {
        guard case .service(let name) = id, !self.spares.isEmpty else { return false }
        let target = self.targets[known: id]
        self.removeTarget(id)
        self.spares.append(
            Service(name: name, addresses: target.addresses, isForeign: target.isForeign))
        self.takeSpare(at: now)
        return true
    }

    /// Notes a service to be dialled in its turn.
    ///
    /// Where there are too many, one of the host that has most gives way, so that who announces a
    /// thousand keeps nobody out; then one that was dialled in vain. One that finds no place waits for one: it
    /// is announced once only.
    private mutating func addService(_ service: Service, at now: Instant) {
        let id = TargetID.service(service.name)
        let addresses = Array(service.addresses.prefix(Limits.addressesPerTarget))
        if self.targets.count >= Limits.targets {
            guard let worst = self.superfluousService(beside: DialQueue.host(of: addresses[0]))
            else {
                if self.spares.count < Limits.targets { self.spares.append(service) }
                return
            }
            self.removeTarget(worst)
        }
        self.targets[id] = DialTarget(addresses: addresses, expecting: nil)
        self.targets[known: id].setForeign(service.isForeign, at: now)
        self.queueService(id)
    }

    /// Which service gives way to one of a host.
    private func superfluousService(beside host: String) -> TargetID? {
        if let crowded = self.mostCrowdedHost, crowded.host != host {
            return Self.worst(of: crowded.services)
        }
        let failed = self.targets.filter { id, target in
            guard case .service = id else { return false }
            return target.backoffSteps > 0 && target.attempts.isEmpty && !self.isLinked(target)
        }
        return Self.worst(of: failed)
    }

    /// The host, of those with several services that are not linked, that has most of them.
    private var mostCrowdedHost: (host: String, services: [TargetID: DialTarget])? {
        var hosts: [String: Set<TargetID>] = [:]
        for (id, target) in self.targets {
            guard case .service = id, target.peer.map({ !self.linked.contains($0) }) ?? true
            else { continue }
            hosts[DialQueue.host(of: target.addresses[0]), default: []].insert(id)
        }
        let most = hosts.max { ($0.value.count, $0.key) < ($1.value.count, $1.key) }
        guard let (host, ids) = most, ids.count > 1 else { return nil }
        return (host, self.targets.filter { ids.contains($0.key) })
    }

    /// Has a service wait for its turn, which comes at once where there are few.
    mutating func queueService(_ id: TargetID) {
        guard let target = self.targets[id], !self.tried.contains(id) else { return }
        if target.isForeign {
            self.queue.remove(id)
        } else {
            self.queue.add(id, at: target.addresses[0])
        }
    }

    /// Services that are being dialled.
    var serviceDials: Int {
        let services = self.dials.values.filter { if case .service = $0 { true } else { false } }
        return Set(services).count
    }

    /// Dials services that wait for it, as long as there are places.
    mutating func dialWaiting(
        at now: Instant, using random: inout some RandomNumberGenerator
    ) {
        guard self.linked.count < self.budget.wanted else { return }
        var places = Limits.serviceDials - self.serviceDials
        while self.linked.count < self.budget.wanted, places > 0,
            self.dialOne(at: now, using: &random)
        {
            places -= 1
        }
    }

    /// Dials one of the services that wait; false where none does.
    @discardableResult
    mutating func dialOne(
        at now: Instant, using random: inout some RandomNumberGenerator
    ) -> Bool {
        while self.queue.count > 0 {
            guard self.servicePace.take(at: now.monotonic) else {
                self.armSeek(at: now)
                return false
            }
            guard let id = self.queue.take(using: &random) else { return false }
            self.dial(id, at: now)
            if self.targets[id]?.attempts.isEmpty == false { return true }
        }
        return false
    }

    /// Dials some services although there are links enough: where two networks become one, each of which
    /// has enough, nothing else would join them.
    private mutating func explore(
        at now: Instant, using random: inout some RandomNumberGenerator
    ) {
        self.takeUpTried(at: now)
        for _ in 0..<Limits.exploredServices
        where self.linked.count < self.budget.links - Limits.reservedLinks {
            self.dialOne(at: now, using: &random)
        }
    }

    mutating func perform(_ decision: Search.Decision) {
        if let search = decision.search { self.perform(.search(search)) }
        if let next = decision.next { self.perform(.arm(.search, at: next)) }
    }
}
