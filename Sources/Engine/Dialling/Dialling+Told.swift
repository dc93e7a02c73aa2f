internal import Formats

/// Devices that are dialled where their own records say that they are: fellows whom discovery does not show.
///
/// A record is signed by the device whose addresses it names, and nobody proves that it is there: so a member of a realm
/// can name any host. Each device is dialled at its own word only, and all together are dialled by ``ToldPace``.
/// `Docs/Decisions/0055-who-says-where.md`.
extension Dialling {
    /// A device says where it can be dialled.
    mutating func told(
        _ peer: PeerID, at addresses: [String], at now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> [DiallingAction] {
        let id = TargetID.told(peer)
        guard !addresses.isEmpty, !self.blocked.contains(peer) else {
            if self.targets[id] != nil { self.removeTarget(id) }
            return self.take()
        }
        if let target = self.targets[id] {
            guard target.addresses != addresses else { return [] }
            self.dropAttempts(of: id, but: nil)
            self.targets[known: id].addresses = addresses
            self.targets[known: id].backoffSteps = 0
            self.targets[known: id].isSelf = false
        } else {
            guard self.makeRoom() else { return self.take() }
            self.targets[id] = DialTarget(addresses: addresses, expecting: peer)
        }
        self.armTold(id, at: now, using: &random)
        return self.take()
    }

    /// Stops dialling devices at the addresses in their records.
    mutating func forgetTold(_ peers: [PeerID]) -> [DiallingAction] {
        for peer in peers where self.targets[.told(peer)] != nil { self.removeTarget(.told(peer)) }
        return self.take()
    }

    /// Has a device be dialled in a moment, in which discovery may find it.
    mutating func armTold(
        _ id: TargetID, at now: Instant, using random: inout some RandomNumberGenerator
    ) {
        let wait = Limits.toldFirstMilliseconds
        self.perform(
            .arm(
                .redial(id),
                at: now.monotonic + wait + UInt64.random(in: 0...wait, using: &random)))
    }

    /// Dials a device where its record says, where nothing else leads to it and there is a use for a link.
    mutating func dialTold(
        _ peer: PeerID, at now: Instant, using random: inout some RandomNumberGenerator
    ) {
        let id = TargetID.told(peer)
        guard let target = self.targets[id], target.attempts.isEmpty, !self.isLinked(target) else {
            return
        }
        let isWanted = self.wanted.contains(peer)
        guard isWanted || !self.setAside(id, at: now) else { return }
        guard !self.isSought(peer, at: target.addresses) else {
            return self.backOff(id, isRefused: false, at: now, using: &random)
        }
        let isBusy = Set(self.dials.values.filter(\.isTold)).count >= Limits.toldDials
        let wait =
            isBusy
            ? Limits.backoffFirstMilliseconds
            : self.toldPace.wait(for: target.addresses, isWanted: isWanted, at: now.monotonic)
        guard wait == 0 else {
            // By then there is room for one, so that all who wait look as often as one of them has a use of it.
            let others = isBusy ? 1 : UInt64(self.targets.keys.count(where: \.isTold))
            let jittered = wait + UInt64.random(in: 0...wait * others, using: &random)
            self.targets[known: id].failedDial?.nextTry = now.wall + jittered
            return self.perform(.arm(.redial(id), at: now.monotonic + jittered))
        }
        self.dial(id, at: now)
    }

    /// Whether a device is dialled at all of these addresses anyway, or discovery sees somebody there of whom it is not
    /// known yet who it is.
    private func isSought(_ peer: PeerID, at addresses: [String]) -> Bool {
        let others = self.leads(to: peer).filter { !$0.key.isTold }
        let known = Set(others.flatMap(\.value.addresses))
        if known.isSuperset(of: addresses) { return true }
        return self.targets.contains { id, target in
            guard case .service = id, target.peer == nil, target.failedDial == nil else {
                return false
            }
            return target.addresses.contains { addresses.contains($0) }
        }
    }
}

/// How often devices are dialled where their records say.
///
/// All together, and each host by itself: whoever is in a realm can have a thousand devices name hosts that are none of
/// theirs, or one host a thousand times.
struct ToldPace: Sendable {
    private var all = TokenBucket(
        capacity: Limits.toldDialBurst, fullMilliseconds: Limits.toldDialMilliseconds)
    private var hosts: [Source: TokenBucket] = [:]

    /// How long these addresses have to wait, in milliseconds; 0 where they may be dialled, which counts then.
    ///
    /// - Parameter isWanted: whether the user knows whose they are, who waits for nobody's inventions.
    mutating func wait(for addresses: [String], isWanted: Bool, at now: UInt64) -> UInt64 {
        guard !isWanted else { return 0 }
        let counts = Dictionary(addresses.map { (Source($0), 1) }, uniquingKeysWith: +)
        if self.hosts.count >= Limits.toldHosts {
            self.hosts = self.hosts.filter { !$0.value.isFull(at: now) }
        }
        var wait = self.all.wait(for: addresses.count, at: now)
        for (host, count) in counts {
            let bucket = self.hosts[host] ?? Self.full(at: now)
            wait = max(wait, bucket.wait(for: count, at: now))
        }
        guard wait == 0 else { return wait }
        _ = self.all.take(addresses.count, at: now)
        for (host, count) in counts {
            _ = self.hosts[host, default: Self.full(at: now)].take(count, at: now)
        }
        return 0
    }

    private static func full(at now: UInt64) -> TokenBucket {
        TokenBucket(
            capacity: Limits.toldHostBurst, fullMilliseconds: Limits.toldDialMilliseconds, at: now)
    }
}
