/// Whom to dial, when, at which address.
///
/// mDNS says *maybe*, TCP says *is*. A target is dialled at one address after the other, a quarter of a second apart, until one
/// answers; if none does, again after a second, then after twice as long each time. A target whose
/// peer is linked rests. The node says who is linked (``peerLinked(_:address:at:)``,
/// ``peerUnlinked(_:address:lastHeard:)``) and what became of dials; every call gives what to do.
struct Dialling: Sendable {
    /// Backoff steps that a refusal counts for: about 16 seconds.
    private static let refusalSteps = 4
    /// Rounds of dials after which it is looked up again where a service is.
    private static let refreshedSteps = 4

    private let own: PeerID
    var targets: [TargetID: DialTarget] = [:]
    /// Peers that were linked, with their addresses.
    private(set) var known: [PeerID: KnownPeer]
    private(set) var linked: Set<PeerID> = []
    /// Of those linked, those that give no sign: others dial them anew, and so does this node.
    private var doubted: Set<PeerID> = []
    /// Peers that are not dialled for having been linked, since the user has blocked them.
    private var blocked: Set<PeerID> = []
    /// Peers whom the user knows, who come first.
    private var wanted: Set<PeerID> = []
    private(set) var dials: [DialID: TargetID] = [:]
    private var lastDial: UInt64 = 0
    /// Requests that wait for a link with a target.
    private var waiting: [RequestID: TargetID] = [:]
    private var isFullTold = false
    /// Services that have found no place among the targets, and get one once there is.
    var spares: [Service] = []
    /// How services are looked for, and which wait to be dialled.
    var search = Search()
    var queue = DialQueue()
    /// What the running call gathers.
    private var actions: [DiallingAction] = []

    init(own: PeerID, known: [KnownPeer]) {
        self.own = own
        self.known = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }

    // MARK: Targets

    /// Says whom the user knows, before the start and whenever that changes.
    mutating func setWanted(_ peers: Set<PeerID>) { self.wanted = peers }

    /// Dials the configured peers and the remembered ones: of these those first whom the user knows, then
    /// those that were seen last.
    mutating func start(_ staticPeers: [StaticPeer], at now: Instant) -> [DiallingAction] {
        for peer in staticPeers {
            self.addTarget(.fixed(peer.address), [peer.address], expecting: peer.key, at: now)
        }
        self.dialRemembered(self.known.values, at: now)
        return self.take()
    }

    /// A user asks for an address; answered at once, or by `deadline` with what became of it.
    mutating func connect(
        _ address: String, expecting key: PeerID?, _ request: RequestID, by deadline: UInt64?,
        at now: Instant
    ) -> [DiallingAction] {
        let id = TargetID.fixed(address)
        if self.targets[id] == nil {
            guard self.makeRoom() else {
                self.perform(.answer(request, .failed(.tooManyTargets)))
                return self.take()
            }
            self.targets[id] = DialTarget(addresses: [address], expecting: key)
        } else {
            self.targets[known: id].backoffSteps = 0
            self.targets[known: id].isSelf = false
            self.targets[known: id].expecting = key
            if let key, self.targets[known: id].peer != key {
                self.targets[known: id].forgetPeer()
            }
        }
        if let deadline {
            self.waiting[request] = id
            self.perform(.arm(.connect(request), at: deadline))
            self.answerLinked()
        } else {
            self.perform(.answer(request, .connecting))
        }
        self.dial(id, at: now)
        return self.take()
    }

    /// The time that a user has given a connect is over.
    mutating func connectDue(_ request: RequestID) -> [DiallingAction] {
        guard let id = self.waiting.removeValue(forKey: request) else { return [] }
        let failure =
            self.targets[id]?.failedDial?.failure
            ?? DialFailure(.timedOut, "no answer in the time that was given")
        self.perform(.answer(request, .failed(.notConnected(failure))))
        return self.take()
    }

    private mutating func addTarget(
        _ id: TargetID, _ addresses: [String], expecting: PeerID?, at now: Instant
    ) {
        guard self.targets[id] == nil else { return }
        guard self.targets.count < Limits.targets else { return self.tellFull(addresses[0]) }
        self.targets[id] = DialTarget(addresses: addresses, expecting: expecting)
        self.dial(id, at: now)
    }

    /// Says once that an address and those that follow are not dialled.
    mutating func tellFull(_ address: String) {
        if !self.isFullTold {
            self.log(
                .warning,
                "\(Limits.targets) addresses are being tried; \(address) and others "
                    + "that follow are not dialled")
        }
        self.isFullTold = true
    }

    /// Makes room for what a user asks for, or whom the user knows: the target that failed most often gives
    /// way, but none that a user has asked for or that leads to somebody known.
    private mutating func makeRoom() -> Bool {
        guard self.targets.count >= Limits.targets else { return true }
        let others = self.targets.filter { id, target in
            switch id {
            case .fixed: false
            case .remembered(let peer): !self.wanted.contains(peer) && !self.isLinked(target)
            case .service: !self.isLinked(target)
            }
        }
        guard let worst = Self.worst(of: others) else { return false }
        self.removeTarget(worst)
        return true
    }

    mutating func removeTarget(_ id: TargetID) {
        self.dropAttempts(of: id, but: nil)
        self.perform(.disarm(.redial(id)))
        self.queue.remove(id)
        self.targets[id] = nil
        self.isFullTold = false
    }

    func isLinked(_ target: DialTarget) -> Bool { self.linkedPeer(of: target) != nil }

    private func linkedPeer(of target: DialTarget) -> PeerID? {
        [target.peer, target.expecting].compactMap { $0 }.first {
            self.linked.contains($0) && !self.doubted.contains($0)
        }
    }

    /// The targets that lead to a peer.
    func leads(to peer: PeerID) -> [TargetID: DialTarget] {
        self.targets.filter { $0.value.peer == peer || $0.value.expecting == peer }
    }

    // MARK: Dials

    /// Begins with a target's first address, unless its peer is linked or it is being dialled.
    mutating func dial(_ id: TargetID, at now: Instant) {
        guard let target = self.targets[id], target.attempts.isEmpty, !target.isSelf,
            !target.isGone, !target.isForeign, !self.isLinked(target)
        else { return }
        self.targets[known: id].nextAddress = 0
        self.targets[known: id].failedDial?.nextTry = nil
        self.dialNextAddress(id, at: now)
    }

    private mutating func dialNextAddress(_ id: TargetID, at now: Instant) {
        guard let target = self.targets[id], !self.isLinked(target),
            target.nextAddress < target.addresses.count
        else { return }
        let dial = self.nextDial()
        let address = target.addresses[target.nextAddress]
        self.targets[known: id].nextAddress += 1
        self.targets[known: id].attempts[dial] = address
        self.dials[dial] = id
        self.perform(.dial(dial, address: address, expecting: target.expecting))
        if target.nextAddress + 1 < target.addresses.count {
            self.perform(.arm(.stagger(id), at: now.monotonic + Limits.staggerMilliseconds))
        }
    }

    /// The number of another dial.
    mutating func nextDial() -> DialID {
        self.lastDial += 1
        return DialID(self.lastDial)
    }

    private mutating func dropAttempts(of id: TargetID, but kept: DialID?) {
        self.perform(.disarm(.stagger(id)))
        for dial in self.targets[known: id].attempts.keys.sorted() where dial != kept {
            self.dials[dial] = nil
            self.perform(.abandon(dial))
        }
        self.targets[known: id].attempts = [:]
    }

    /// A target's next address has its turn.
    mutating func staggerDue(_ id: TargetID, at now: Instant) -> [DiallingAction] {
        self.dialNextAddress(id, at: now)
        return self.take()
    }

    /// A target is to be dialled again.
    mutating func redialDue(
        _ id: TargetID, at now: Instant, using random: inout some RandomNumberGenerator
    ) -> [DiallingAction] {
        self.dialInTurn(id, at: now)
        self.dialWaiting(at: now, using: &random)
        return self.take()
    }

    private mutating func dialInTurn(_ id: TargetID, at now: Instant) {
        if case .service = id {
            self.queueService(id)
        } else {
            self.dial(id, at: now)
        }
    }

    /// Dials every target that was waiting: the network is another one.
    mutating func redialAll(
        at now: Instant, using random: inout some RandomNumberGenerator
    ) -> [DiallingAction] {
        for id in self.targets.keys.sorted() {
            self.targets[known: id].backoffSteps = 0
            self.dialInTurn(id, at: now)
        }
        self.dialWaiting(at: now, using: &random)
        return self.take()
    }

    // MARK: What became of dials

    /// A dial has reached a peer, with which no link can be where there is an obstacle.
    mutating func dialReached(
        _ dial: DialID, _ peer: PeerID, _ obstacle: DialFailure?, at now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> [DiallingAction] {
        guard let id = self.dials.removeValue(forKey: dial) else { return [] }
        let address = self.targets[known: id].attempts[dial]
        self.dropAttempts(of: id, but: dial)
        self.targets[known: id].peerAddress = address
        self.targets[known: id].peer = peer
        guard let obstacle else {
            self.targets[known: id].failedDial = nil
            self.answerLinked()
            self.dialWaiting(at: now, using: &random)
            return self.take()
        }
        if obstacle.reason == .ownAddress {
            for (other, target) in self.targets where target.peer == self.own {
                self.targets[known: other].isSelf = true
            }
        }
        self.endRound(of: id, obstacle, at: now, using: &random)
        self.dialWaiting(at: now, using: &random)
        return self.take()
    }

    /// A dial has not become a link.
    mutating func dialFailed(
        _ dial: DialID, _ failure: DialFailure, at now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> [DiallingAction] {
        guard let id = self.dials.removeValue(forKey: dial),
            let address = self.targets[known: id].attempts.removeValue(forKey: dial)
        else { return [] }
        let target = self.targets[known: id]
        if failure.session != nil {
            self.actions.append(
                .refuse(address: address, peer: target.expecting, reason: failure.detail))
        } else {
            // One line, not one for each try; the report tells of all.
            let isNews = target.failedDial?.failure.reason != failure.reason
            let isAsked = if case .fixed = id { true } else { false }
            let text = "cannot reach \(address): \(failure.detail)"
            switch (isNews, isAsked) {
            case (true, true): self.log(.notice, text + "; trying again")
            // Anybody can say where they listen, with a new key each time.
            case (true, false): self.actions.append(.tell(text + "; trying again"))
            case (false, _): self.log(.debug, text)
            }
        }
        if target.nextAddress < target.addresses.count {
            self.dialNextAddress(id, at: now)
        } else if target.attempts.isEmpty {
            self.endRound(of: id, failure, at: now, using: &random)
            self.dialWaiting(at: now, using: &random)
        }
        return self.take()
    }

    /// Every address of a target has failed: counts the round, and plans the next.
    private mutating func endRound(
        of id: TargetID, _ failure: DialFailure, at now: Instant,
        using random: inout some RandomNumberGenerator
    ) {
        let count = self.targets[known: id].failedDial?.count ?? 0
        self.targets[known: id].failedDial = FailedDial(
            failure: failure, time: now.wall, count: count + 1, nextTry: nil)
        let isRefused = failure.session != nil || failure.reason == .rejected
        self.backOff(id, isRefused: isRefused, at: now, using: &random)
        for (request, target) in self.waiting.sorted(by: { $0.key < $1.key }) where target == id {
            self.finish(request, .failed(.notConnected(failure)))
        }
    }

    /// Dials again later: after one second, then twice as long each time, with jitter.
    private mutating func backOff(
        _ id: TargetID, isRefused: Bool, at now: Instant,
        using random: inout some RandomNumberGenerator
    ) {
        let target = self.targets[known: id]
        guard !target.isGone, !target.isSelf, !self.giveTurn(id) else { return }
        var longest = Limits.backoffLastMilliseconds
        if case .remembered = id { longest = Limits.rememberedLastMilliseconds }
        // Who has moved says so, and is found by its own search; to ask for a host that is off costs all.
        if case .service(let name) = id, target.backoffSteps < Self.refreshedSteps {
            self.perform(.refresh(service: name))
        }
        let steps = max(target.backoffSteps, isRefused ? Self.refusalSteps : 0)
        let wait = min(Limits.backoffFirstMilliseconds << UInt64(min(steps, 16)), longest)
        let jittered = wait + UInt64.random(in: 0...wait / 4, using: &random)
        self.targets[known: id].backoffSteps = steps + 1
        self.targets[known: id].failedDial?.nextTry = now.wall + jittered
        self.perform(.arm(.redial(id), at: now.monotonic + jittered))
    }

    // MARK: Links

    /// A peer is linked, at an address where it can be dialled if that is known.
    mutating func peerLinked(
        _ peer: PeerID, address: String?, of person: PublicPerson? = nil, at now: Instant
    ) -> [DiallingAction] {
        self.linked.insert(peer)
        self.doubted.remove(peer)
        for id in self.leads(to: peer).keys { self.targets[known: id].besideSince = nil }
        self.remember(peer, address: address, of: person, lastSeen: now.wall)
        self.answerLinked()
        return self.take()
    }

    /// A peer's link has ended, on which it was last heard at a moment of the wall clock.
    mutating func peerUnlinked(
        _ peer: PeerID, address: String?, lastHeard: UInt64
    ) -> [DiallingAction] {
        self.linked.remove(peer)
        self.doubted.remove(peer)
        self.remember(peer, address: address, lastSeen: lastHeard)
        return self.take()
    }

    /// A peer has no link any longer: all that led to it is tried again.
    mutating func redialPeer(
        _ peer: PeerID, isRefused: Bool, at now: Instant,
        using random: inout some RandomNumberGenerator
    ) -> [DiallingAction] {
        let gone = self.leads(to: peer).filter(\.value.isGone)
        for id in gone.keys.sorted() { self.removeTarget(id) }
        if self.leads(to: peer).isEmpty { self.addRemembered(peer) }
        for (id, target) in self.leads(to: peer).sorted(by: { $0.key < $1.key })
        where target.attempts.isEmpty {
            // Who is linked and turned away each time is asked less often each time.
            if !isRefused { self.targets[known: id].backoffSteps = 0 }
            self.backOff(id, isRefused: isRefused, at: now, using: &random)
        }
        self.perform(self.search.missed(at: now.monotonic))
        self.dialWaiting(at: now, using: &random)
        return self.take()
    }

    /// A peer gives no sign on its link, or gave none before that ended: it is dialled beside it, again and
    /// again, until it does.
    mutating func dialBeside(_ peer: PeerID, at now: Instant) -> [DiallingAction] {
        if self.linked.contains(peer) { self.doubted.insert(peer) }
        if self.leads(to: peer).isEmpty { self.addRemembered(peer) }
        for (id, target) in self.leads(to: peer).sorted(by: { $0.key < $1.key }) {
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
    private mutating func dialRemembered(_ peers: some Sequence<KnownPeer>, at now: Instant) {
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
        for peer in peers where self.targets[.remembered(peer)] != nil {
            self.removeTarget(.remembered(peer))
        }
        return self.take()
    }

    /// Dials a peer again where it was linked.
    mutating func unblock(_ peer: PeerID, at now: Instant) -> [DiallingAction] {
        guard self.blocked.remove(peer) != nil, let known = self.known[peer] else { return [] }
        self.dialRemembered([known], at: now)
        return self.take()
    }

    // MARK: What calls gather

    /// Answers the requests whose target is linked.
    private mutating func answerLinked() {
        for (request, id) in self.waiting.sorted(by: { $0.key < $1.key }) {
            // Targets that users have asked for stay.
            guard let peer = self.linkedPeer(of: self.targets[known: id]) else { continue }
            self.finish(request, .connected(peer))
        }
    }

    private mutating func finish(_ request: RequestID, _ answer: Answer) {
        self.waiting[request] = nil
        self.perform(.disarm(.connect(request)))
        self.perform(.answer(request, answer))
    }

    mutating func log(_ level: LogLevel, _ text: String) {
        self.perform(.log(level, text))
    }

    /// Says what peers can cause again and again, where it is one of few lines.
    mutating func tell(_ text: String) { self.actions.append(.tell(text)) }

    mutating func perform(_ action: Action) { self.actions.append(.perform(action)) }

    mutating func take() -> [DiallingAction] {
        var taken: [DiallingAction] = []
        swap(&taken, &self.actions)
        return taken
    }
}
