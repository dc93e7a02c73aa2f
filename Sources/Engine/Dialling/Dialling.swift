internal import Formats

/// Whom to dial, when, at which address.
///
/// mDNS says *maybe*, TCP says *is*. A target is dialled at one address after the other, a quarter of a second apart, until one
/// answers; if none does, again after a second, then after twice as long each time. A target whose
/// peer is linked rests. The node says who is linked (``peerLinked(_:address:at:)``,
/// ``peerUnlinked(_:address:lastHeard:)``) and what became of dials; every call gives what to do.
struct Dialling: Sendable {
    /// Backoff steps that a refusal counts for: about 16 seconds.
    private static let refusalSteps = 4
    /// Backoff steps after which an address from a record waits longest.
    private static let deniedSteps = 12
    /// Rounds of dials after which it is looked up again where a service is.
    private static let refreshedSteps = 4

    private let own: PeerID
    let budget: LinkBudget
    var targets: [TargetID: DialTarget] = [:]
    /// Peers that were linked, with their addresses.
    var known: [PeerID: KnownPeer]
    var linked: Set<PeerID> = []
    /// Of those linked, those that give no sign: others dial them anew, and so does this node.
    var doubted: Set<PeerID> = []
    /// Peers that are not dialled for having been linked, since the user has blocked them.
    var blocked: Set<PeerID> = []
    /// Peers whom the user knows, who come first.
    var wanted: Set<PeerID> = []
    private(set) var dials: [DialID: TargetID] = [:]
    private var lastDial: UInt64 = 0
    /// Requests that wait for a link with a target.
    private var waiting: [RequestID: TargetID] = [:]
    private var isFullTold = false
    var overflow = ServiceOverflow()
    /// Services that have found no place among the targets, and get one once there is.
    var spares: [Service] = []
    /// How services are looked for, and which wait to be dialled.
    var search = Search()
    var queue = DialQueue()
    /// Services whose peers share no conversation that needs them, not dialled again until all are tried anew, or
    /// links are missing.
    var tried: Set<TargetID> = []
    var isSeekArmed = false
    /// To whom large packets are lost.
    var narrow = NarrowPaths()
    /// Dials of services: who announces what refuses at once would have it dialled as fast as it refuses.
    var servicePace = TokenBucket(
        capacity: Limits.serviceDialBurst, fullMilliseconds: Limits.serviceDialMilliseconds)
    /// How often devices are dialled where their records say.
    var toldPace = ToldPace()
    /// What the running call gathers.
    var actions: [DiallingAction] = []

    init(own: PeerID, known: [KnownPeer], budget: LinkBudget = LinkBudget()) {
        self.own = own
        self.budget = budget
        self.known = Dictionary(known.map { ($0.id, $0) }, uniquingKeysWith: { $1 })
    }

    // MARK: Targets

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
            ?? DialFailure(.timedOut, "no answer in time")
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
    mutating func makeRoom() -> Bool {
        guard self.targets.count >= Limits.targets else { return true }
        let others = self.targets.filter { id, target in
            switch id {
            case .fixed: false
            case .remembered(let peer), .told(let peer):
                !self.wanted.contains(peer) && !self.isLinked(target)
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
        self.tried.remove(id)
        // In a flood they take each other's places, which is told of once.
        if self.targets.count < Limits.targets / 2 {
            self.isFullTold = false
            self.overflow.forget()
        }
    }

    /// A service is come upon, for which there may be no place beside the others.
    mutating func noteService(_ name: String, at now: Instant) {
        let isNews = self.overflow.isNews(
            name, hasPlace: self.targets.count < Limits.targets, at: now.monotonic)
        if isNews, self.linked.count < self.budget.wanted { self.actions.append(.alert) }
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
        let isNarrow = self.narrow.has([target.peer, target.expecting], address, at: now)
        self.perform(
            .dial(dial, address: address, expecting: target.expecting, isNarrow: isNarrow))
        if target.nextAddress + 1 < target.addresses.count {
            self.perform(.arm(.stagger(id), at: now.monotonic + Limits.staggerMilliseconds))
        }
    }

    /// The number of another dial.
    mutating func nextDial() -> DialID {
        self.lastDial += 1
        return DialID(self.lastDial)
    }

    mutating func dropAttempts(of id: TargetID, but kept: DialID?) {
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
        self.dialInTurn(id, at: now, using: &random)
        self.dialWaiting(at: now, using: &random)
        self.armSeek(at: now)
        return self.take()
    }

    private mutating func dialInTurn(
        _ id: TargetID, at now: Instant, using random: inout some RandomNumberGenerator
    ) {
        switch id {
        case .service: self.queueService(id)
        case .told(let peer): self.dialTold(peer, at: now, using: &random)
        case .fixed, .remembered: self.dial(id, at: now)
        }
    }

    /// Dials every target that was waiting: the network is another one.
    mutating func redialAll(
        at now: Instant, using random: inout some RandomNumberGenerator
    ) -> [DiallingAction] {
        self.tried = []
        for id in self.targets.keys.sorted() {
            self.targets[known: id].backoffSteps = 0
            // Discovery, too, has to see first who is there.
            if id.isTold {
                self.armTold(id, at: now, using: &random)
            } else {
                self.dialInTurn(id, at: now, using: &random)
            }
        }
        self.armSeek(at: now)
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
        if id.isTold {
            // Whoever is in a realm can name any host: it is the report that tells of it.
            self.log(.debug, "cannot reach \(address), which a record names: \(failure.detail)")
        } else if failure.session != nil {
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
        // Somebody else is there, or nobody of a realm: the record is wrong or old.
        if id.isTold, failure.session != nil {
            self.targets[known: id].backoffSteps = Self.deniedSteps
        }
        let isRefused = failure.session != nil || failure.reason == .rejected
        self.backOff(id, isRefused: isRefused, at: now, using: &random)
        for (request, target) in self.waiting.sorted(by: { $0.key < $1.key }) where target == id {
            self.finish(request, .failed(.notConnected(failure)))
        }
    }

    /// Dials again later: after one second, then twice as long each time, with jitter.
    mutating func backOff(
        _ id: TargetID, isRefused: Bool, at now: Instant,
        using random: inout some RandomNumberGenerator
    ) {
        let target = self.targets[known: id]
        guard !target.isGone, !target.isSelf, !self.giveTurn(id, at: now) else { return }
        var longest = Limits.backoffLastMilliseconds
        if case .remembered = id { longest = Limits.rememberedLastMilliseconds }
        if id.isTold { longest = Limits.toldLastMilliseconds }
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

    // MARK: What calls gather

    /// Answers the requests whose target is linked.
    mutating func answerLinked() {
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
