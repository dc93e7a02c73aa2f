/// Something that may turn out to be a peer: where it is, and how often it did not answer.
struct Target: Sendable {
    var addresses: [String]
    /// The only key that may answer; nil for any.
    var expecting: PeerID?
    /// Who answered last, and at which address.
    var peer: PeerID?
    var peerAddress: String?
    /// Dials under way, by address.
    var attempts: [DialID: String] = [:]
    var nextAddress = 0
    var failures = 0
    /// Whether the address turned out to be this node.
    var isSelf = false
    /// Whether discovery has lost sight of it.
    var isGone = false
}

/// Whom to dial, when, at which address. mDNS says *maybe*, TCP says *is*.
extension Node {
    /// Backoff steps that a refusal counts for: about 16 seconds.
    private static var penaltyFailures: Int { 4 }

    mutating func startDialling() {
        for peer in self.configuration.staticPeers {
            self.addTarget(.fixed(peer.address), [peer.address], expecting: peer.key)
        }
        let remembered = self.knownPeers.values.sorted {
            ($1.lastSeen, $0.id) < ($0.lastSeen, $1.id)
        }
        for peer in remembered.prefix(Limits.links) where !peer.addresses.isEmpty {
            self.addTarget(.remembered(peer.id), peer.addresses, expecting: peer.id)
        }
    }

    mutating func found(_ service: Service) {
        let id = TargetID.service(service.name)
        let addresses = Array(service.addresses.prefix(Limits.addressesPerTarget))
        guard !addresses.isEmpty else { return }
        if self.targets[id] != nil {
            self.targets[id]?.isGone = false
            let isNew = self.targets[id]?.addresses != addresses
            self.targets[id]?.addresses = addresses
            if let address = self.targets[id]?.peerAddress, !addresses.contains(address) {
                // Somebody else may have been there, or this node itself.
                self.targets[id]?.peer = nil
                self.targets[id]?.peerAddress = nil
                self.targets[id]?.isSelf = false
            }
            if isNew { self.dial(id) }
        } else {
            self.log(.info, "discovered \(service.name) at \(addresses.joined(separator: ", "))")
            self.addTarget(id, addresses, expecting: nil)
        }
    }

    mutating func lost(_ name: String) {
        let id = TargetID.service(name)
        guard let target = self.targets[id] else { return }
        self.log(.info, "discovery lost \(name)")
        self.actions.append(.disarm(.redial(id)))
        if let peer = target.peer, self.linkOfPeer[peer] != nil {
            self.targets[id]?.isGone = true
        } else {
            self.dropAttempts(of: id, but: nil)
            self.targets[id] = nil
        }
    }

    mutating func connect(_ address: String, expecting key: PeerID?, _ request: RequestID) {
        self.targets[.fixed(address)]?.failures = 0
        if self.targets[.fixed(address)] == nil {
            self.addTarget(.fixed(address), [address], expecting: key)
        } else {
            self.targets[.fixed(address)]?.expecting = key
            self.dial(.fixed(address))
        }
        self.actions.append(.answer(request, .connecting))
    }

    private mutating func addTarget(_ id: TargetID, _ addresses: [String], expecting: PeerID?) {
        guard self.targets[id] == nil, self.targets.count < Limits.targets else { return }
        self.targets[id] = Target(addresses: addresses, expecting: expecting)
        self.dial(id)
    }

    private func isLinked(_ target: Target) -> Bool {
        [target.peer, target.expecting].contains { $0.map { self.linkOfPeer[$0] != nil } ?? false }
    }

    /// Begins with a target's first address, unless its peer is linked or it is being dialled.
    private mutating func dial(_ id: TargetID) {
        guard let target = self.targets[id], target.attempts.isEmpty, !target.isSelf,
            !target.isGone, !self.isLinked(target)
        else { return }
        self.targets[id]?.nextAddress = 0
        self.dialNextAddress(id)
    }

    mutating func dialNextAddress(_ id: TargetID) {
        guard let target = self.targets[id], !self.isLinked(target),
            target.nextAddress < target.addresses.count
        else { return }
        self.lastDial += 1
        let dial = DialID(self.lastDial)
        let address = target.addresses[target.nextAddress]
        self.targets[id]?.nextAddress += 1
        self.targets[id]?.attempts[dial] = address
        self.dials[dial] = id
        self.actions.append(.dial(dial, address: address, expecting: target.expecting))
        if target.nextAddress + 1 < target.addresses.count {
            self.actions.append(
                .arm(.stagger(id), at: self.now.monotonic + Limits.staggerMilliseconds))
        }
    }

    private mutating func dropAttempts(of id: TargetID, but kept: DialID?) {
        self.actions.append(.disarm(.stagger(id)))
        for dial in (self.targets[id]?.attempts.keys.sorted() ?? []) where dial != kept {
            self.dials[dial] = nil
            self.actions.append(.abandon(dial))
        }
        self.targets[id]?.attempts = [:]
    }

    mutating func dialSucceeded(_ dial: DialID?, _ peer: PeerID) {
        guard let dial, let id = self.dials.removeValue(forKey: dial) else { return }
        let address = self.targets[id]?.attempts[dial]
        self.dropAttempts(of: id, but: dial)
        self.targets[id]?.peerAddress = address
        self.targets[id]?.peer = peer
        self.targets[id]?.failures = 0
    }

    mutating func dialFailed(_ dial: DialID, _ failure: SessionFailure?, detail: String) {
        guard let id = self.dials.removeValue(forKey: dial),
            let address = self.targets[id]?.attempts.removeValue(forKey: dial)
        else { return }
        if let failure {
            self.refuse(address: address, peer: self.targets[id]?.expecting, "\(failure)")
        } else {
            self.log(.debug, "cannot reach \(address): \(detail)")
        }
        guard let target = self.targets[id] else { return }
        if target.nextAddress < target.addresses.count {
            self.dialNextAddress(id)
        } else if target.attempts.isEmpty {
            self.backOff(id, penalty: failure != nil)
        }
    }

    /// Dials again later: after one second, then twice as long each time, with jitter.
    private mutating func backOff(_ id: TargetID, penalty: Bool) {
        guard let target = self.targets[id], !target.isGone else { return }
        var longest = Limits.backoffLastMilliseconds
        if case .remembered = id { longest = Limits.rememberedLastMilliseconds }
        if case .service(let name) = id { self.actions.append(.refresh(service: name)) }
        let failures = max(target.failures, penalty ? Self.penaltyFailures : 0)
        self.targets[id]?.failures = failures + 1
        let doubled = Limits.backoffFirstMilliseconds << UInt64(min(failures, 16))
        let wait = min(doubled, longest)
        let jitter = UInt64.random(in: 0...wait / 4, using: &self.random)
        self.actions.append(.arm(.redial(id), at: self.now.monotonic + wait + jitter))
    }

    /// Every target that was waiting is dialled at once.
    mutating func redialAll() {
        for id in self.targets.keys.sorted() {
            self.targets[id]?.failures = 0
            self.dial(id)
        }
    }

    mutating func redialDue(_ id: TargetID) { self.dial(id) }

    mutating func markSelf() {
        for (id, target) in self.targets where target.peer == self.id {
            self.targets[id]?.isSelf = true
        }
    }

    /// A peer's link has ended: all that led to it is tried again.
    mutating func redial(_ peer: PeerID, penalty: Bool) {
        var leads = self.targets.filter { $0.value.peer == peer || $0.value.expecting == peer }
            .map(\.key)
        for id in leads where self.targets[id]?.isGone == true { self.targets[id] = nil }
        leads.removeAll { self.targets[$0] == nil }
        if leads.isEmpty, let known = self.knownPeers[peer], !known.addresses.isEmpty,
            self.targets.count < Limits.targets
        {
            self.targets[.remembered(peer)] = Target(addresses: known.addresses, expecting: peer)
            leads = [.remembered(peer)]
        }
        for id in leads.sorted() where self.targets[id]?.attempts.isEmpty == true {
            self.backOff(id, penalty: penalty)
        }
    }

    /// Keeps where a peer was linked, for the next start.
    mutating func remember(_ link: Link) {
        let peer = link.info.peer
        var known = self.knownPeers[peer] ?? KnownPeer(id: peer, addresses: [], lastSeen: 0)
        var address: String? = link.address
        if link.dial == nil {
            // The source port of an accepted link is nobody's; the peer says where it listens.
            let host = link.address.lastIndex(of: ":").map { link.address[..<$0] }
            address = host.flatMap { host in link.info.listenPort.map { "\(host):\($0)" } }
        }
        if let address {
            known.addresses.removeAll { $0 == address }
            known.addresses.insert(address, at: 0)
            known.addresses = Array(known.addresses.prefix(Limits.addressesPerTarget))
            // Whoever else leads to this address leads to this peer: no need to dial it again.
            for (id, target) in self.targets
            where target.peer == nil && target.addresses.contains(address) {
                self.targets[id]?.peer = peer
                self.targets[id]?.peerAddress = address
            }
        }
        known.lastSeen = self.now.wall
        self.knownPeers[peer] = known
        self.commitQueue.peers[peer] = known
        if self.targets[.remembered(peer)] != nil {
            self.targets[.remembered(peer)]?.addresses = known.addresses
        }
    }
}
