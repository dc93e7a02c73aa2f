internal import Formats

/// Peers that are linked, and those that were and are remembered.
extension Dialling {
    /// A peer is linked, at an address where it can be dialled if that is known.
    mutating func peerLinked(
        _ peer: PeerID, address: String?, of person: PublicPerson? = nil, at now: Instant
    ) -> [DiallingAction] {
        for id in self.leads(to: peer).keys { self.targets[known: id].besideSince = nil }
        self.remember(peer, address: address, of: person, lastSeen: now.wall)
        self.noteLinked(peer)
        return self.take()
    }

    /// A peer's link has ended, on which it was last heard at a moment of the wall clock; nil where it never
    /// had a place, and is not remembered.
    mutating func peerUnlinked(
        _ peer: PeerID, address: String?, lastHeard: UInt64?
    ) -> [DiallingAction] {
        self.linked.remove(peer)
        self.doubted.remove(peer)
        if let lastHeard { self.remember(peer, address: address, lastSeen: lastHeard) }
        return self.take()
    }

    /// A peer has no link any longer: all that led to it is dialled again, unless it was only tried.
    mutating func redialPeer(
        _ peer: PeerID, _ ending: LinkEnding, at now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> [DiallingAction] {
        let gone = self.leads(to: peer).filter(\.value.isGone)
        for id in gone.keys.sorted() { self.removeTarget(id) }
        let isTried = ending == .tried && !self.wanted.contains(peer)
        if self.leads(to: peer).keys.allSatisfy(\.isTold), !isTried { self.addRemembered(peer) }
        for (id, target) in self.leads(to: peer).sorted(by: { $0.key < $1.key })
        where target.attempts.isEmpty {
            if isTried, self.setAside(id, at: now) { continue }
            // Who is linked and turned away each time is asked less often each time.
            if ending == .ended { self.targets[known: id].backoffSteps = 0 }
            self.backOff(id, isRefused: ending != .ended, at: now, using: &random)
        }
        if !isTried { self.perform(self.search.missed(at: now.monotonic)) }
        if self.linked.count < self.budget.wanted { self.takeUpTried(at: now) }
        self.dialWaiting(at: now, using: &random)
        self.armSeek(at: now)
        return self.take()
    }

    /// A peer gives no sign on its link, or gave none before that ended: it is dialled beside it, again and
    /// again, until it does.
    mutating func dialBeside(_ peer: PeerID, at now: Instant) -> [DiallingAction] {
        if self.linked.contains(peer) { self.doubted.insert(peer) }
        // What its record says may be any host, and is not dialled as often.
        if self.leads(to: peer).keys.allSatisfy(\.isTold) { self.addRemembered(peer) }
        let leads = self.leads(to: peer).filter { !$0.key.isTold }
        for (id, target) in leads.sorted(by: { $0.key < $1.key }) {
            if let since = target.besideSince, !target.attempts.isEmpty {
                guard now.monotonic - since >= Limits.besideMilliseconds else { continue }
                self.dropAttempts(of: id, but: nil)
            }
            self.targets[known: id].besideSince = now.monotonic
            self.targets[known: id].backoffSteps = 0
            self.dial(id, at: now)
        }
        return self.take()
    }

    /// A peer gives signs again: no other link to it is dialled.
    mutating func trust(_ peer: PeerID) -> [DiallingAction] {
        guard self.doubted.remove(peer) != nil else { return [] }
        for id in self.leads(to: peer).keys.sorted() {
            self.targets[known: id].besideSince = nil
            guard self.linked.contains(peer) else { continue }
            self.dropAttempts(of: id, but: nil)
            self.perform(.disarm(.redial(id)))
        }
        return self.take()
    }

    /// Keeps where a peer was linked, for the next start.
    private mutating func remember(
        _ peer: PeerID, address: String?, of person: PublicPerson? = nil, lastSeen: UInt64
    ) {
        var known = self.known[peer] ?? KnownPeer(id: peer, addresses: [], lastSeen: 0)
        known.person = person ?? known.person
        if let address {
            known.addresses.removeAll { $0 == address }
            known.addresses.insert(address, at: 0)
            known.addresses = Array(known.addresses.prefix(Limits.addressesPerTarget))
            // Whoever else leads to this address leads to this peer: no need to dial it again.
            for (id, target) in self.targets
            where target.peer == nil && target.addresses.contains(address) {
                self.targets[known: id].peer = peer
                self.targets[known: id].peerAddress = address
            }
        }
        known.lastSeen = lastSeen
        self.known[peer] = known
        self.actions.append(.keep(known))
        if self.targets[.remembered(peer)] != nil {
            self.targets[known: .remembered(peer)].addresses = known.addresses
        }
    }

    /// Keeps whose device a linked peer is from here on.
    mutating func note(_ peer: PeerID, as person: PublicPerson) -> [DiallingAction] {
        self.remember(peer, address: nil, of: person, lastSeen: self.known[peer]?.lastSeen ?? 0)
        return self.take()
    }

    /// Remembers peers that were not linked here, as those that a backup has, and dials where they were.
    mutating func recall(_ peers: [KnownPeer], at now: Instant) -> [DiallingAction] {
        for peer in peers where self.known[peer.id] == nil {
            self.known[peer.id] = peer
            self.actions.append(.keep(peer))
        }
        self.dialRemembered(peers, at: now)
        return self.take()
    }

    /// Dials peers where they were linked: those first whom the user knows, then those that were last.
    mutating func dialRemembered(_ peers: some Sequence<KnownPeer>, at now: Instant) {
        let sorted = peers.sorted { left, right in
            let (one, other) = (self.wanted.contains(left.id), self.wanted.contains(right.id))
            guard one == other else { return one }
            return (right.lastSeen, left.id) < (left.lastSeen, right.id)
        }
        for peer in sorted.prefix(Limits.rememberedTargets) where !self.linked.contains(peer.id) {
            let id = TargetID.remembered(peer.id)
            guard self.targets[id] == nil else { continue }
            self.addRemembered(peer.id)
            if self.targets[id] != nil { self.dial(id, at: now) }
        }
    }

    /// Has a peer be dialled where it was linked, if that is known and there is a place.
    ///
    /// Whoever the user knows takes the place of others. Of all others a bounded number is dialled so: any
    /// key may link, and leave for good.
    private mutating func addRemembered(_ peer: PeerID) {
        guard let known = self.known[peer], !known.addresses.isEmpty, !self.blocked.contains(peer)
        else { return }
        if self.wanted.contains(peer) {
            guard self.makeRoom() else { return self.tellFull(known.addresses[0]) }
        } else {
            let others = self.targets.filter { id, target in
                guard case .remembered(let other) = id else { return false }
                return !self.wanted.contains(other) && !self.isLinked(target)
            }
            if others.count >= Limits.rememberedTargets, let worst = Self.worst(of: others) {
                self.removeTarget(worst)
            }
            guard self.targets.count < Limits.targets else {
                return self.tellFull(known.addresses[0])
            }
        }
        self.targets[.remembered(peer)] = DialTarget(
            addresses: known.addresses, expecting: peer)
    }

    /// The target that has failed most often.
    static func worst(of targets: [TargetID: DialTarget]) -> TargetID? {
        targets.max { ($0.value.backoffSteps, $0.key) < ($1.value.backoffSteps, $1.key) }?.key
    }

    /// Forgets peers that are not linked, and dials them no longer for having been.
    mutating func forget(_ peers: [PeerID]) -> [DiallingAction] {
        for peer in peers where !self.linked.contains(peer) {
            self.known[peer] = nil
            if self.targets[.remembered(peer)] != nil { self.removeTarget(.remembered(peer)) }
        }
        return self.take()
    }

    /// Dials peers no longer for having been linked.
    mutating func block(_ peers: [PeerID]) -> [DiallingAction] {
        self.blocked.formUnion(peers)
        for id in peers.flatMap({ [TargetID.remembered($0), .told($0)] })
        where self.targets[id] != nil {
            self.removeTarget(id)
        }
        return self.take()
    }

    /// Dials a peer again where it was linked.
    mutating func unblock(_ peer: PeerID, at now: Instant) -> [DiallingAction] {
        guard self.blocked.remove(peer) != nil, let known = self.known[peer] else { return [] }
        self.dialRemembered([known], at: now)
        return self.take()
    }
}
