package import Crypto
package import Formats

/// Every decision of a daemon: what comes in is an ``Event``, what to do about it are ``Action``s.
///
/// A value without I/O, clock or threads, so that the daemon and a simulator run the same code. Disk is
/// a peer like any other: ``Action/commit(_:)`` goes out, ``Event/committed(_:)`` comes back, and only
/// then is anything acknowledged, shown, counted in a clock, credited or pushed.
///
/// It routes: what it decides is decided by the machines that it owns, each with its own file and
/// tests, and what one of them wants done concerns the others only here. `Docs/Architecture.md`.
package struct Node: Sendable {
    /// The own key.
    package let id: PeerID
    var own: OwnNode
    var random: NodeRandom
    /// What the running call gathers.
    var actions: [Action] = []
    var now = Instant(monotonic: 0, wall: 0)

    var disk: DiskWork
    var clocks: Clocks
    /// What opens entries, and what own ones are sealed with.
    package internal(set) var keyring: Keyring
    var conversations = Conversations()
    var groups: Groups
    var persons: Persons
    var receipts: Receipts

    var links = LinkTable()
    var dialling: Dialling
    var probes = Probes()
    var catchUp = CatchUp()
    var transfers: Transfers
    var signals: Signals
    var alerts = Alerts()
    var devices: DeviceLinking
    /// What is the user's, as their devices have told each other.
    var mine = OwnData()
    /// Where devices of common realms can be dialled.
    var whereabouts = Whereabouts()

    /// The realms that the node is in, and how their rooms are written.
    package var realms: Realms { self.own.realms }

    /// Creates a node from what it finds on disk; ``Event/started`` must be its first event.
    ///
    /// - Parameters:
    ///   - certificate: that of `signer`'s key, whose device this is.
    ///   - person: the keys of that person.
    ///   - boot: random per start; the same as in the sessions' ``SessionIdentity``.
    ///   - random: salts and incarnations come from it, so it must not be predictable.
    package init(
        signer: Signer, certificate: Certificate, person: PersonKeys, boot: UInt64,
        configuration: NodeConfiguration, snapshot: Snapshot, keyring: Keyring = Keyring(),
        random: NodeRandom
    ) {
        var random = random
        let incarnation = snapshot.incarnation ?? random.next()
        self.random = random
        self.id = PeerID(signer.publicKey)
        self.own = OwnNode(
            signer: signer, certificate: certificate, person: person, boot: boot,
            configuration: configuration, realms: configuration.realms)
        self.disk = DiskWork(
            history: OwnHistory(
                incarnation: Self.incarnation(incarnation, signer, snapshot),
                isStored: snapshot.incarnation != nil),
            held: snapshot.held, streams: StreamUpkeep(snapshot.streams),
            isAfterLoss: snapshot.isAfterLoss)
        self.signals = Signals(own: certificate.personID)
        self.devices = DeviceLinking(own: self.id, address: certificate.deviceAddress)
        self.clocks = Clocks(
            buildTime: configuration.buildTime,
            newest: snapshot.latestShown.values.max() ?? HybridTime(0))
        self.keyring = keyring
        self.dialling = Dialling(
            own: self.id, known: snapshot.peers, budget: configuration.linkBudget)
        self.persons = Persons(
            people: People(
                snapshot, own: OwnKeys(device: self.id, person: certificate.personID)),
            profiles: Profiles(snapshot.records, in: configuration.recordBounds))
        self.transfers = Transfers(pictures: Pictures(self.persons.profiles))
        self.receipts = Receipts(marks: Marks(snapshot.positions, own: self.id))
        self.groups = Groups(
            restoring: snapshot, own: certificate.personID, device: PeerID(signer.publicKey))
        self.conversations.requests = DirectRequests(snapshot.requests)
        for (id, conversation) in Conversation.restored(from: snapshot, own: self.id) {
            self.conversations.table[id] = conversation
            self.keyring.add(conversation.kind)
            self.conversations.privates.add(conversation.kind)
        }
        for held in snapshot.epochs.values.joined() {
            let kind = self.conversations.table[held.group]?.kind
            if let key = kind.flatMap({ ConversationKey(held, in: $0) }) { self.keyring.add(key) }
        }
        self.restoreDirectKeys(snapshot)
        for size in snapshot.sizes { self.conversations.diskShares.note(size) }
        // In one order everywhere, so that a seed replays.
        for (key, log) in snapshot.logs.sorted(by: { $0.key < $1.key }) {
            for seqs in log.wanted.all { self.catchUp.payloadWants.want(key, seqs) }
        }
        self.restoreOwn(snapshot)
    }

    private static func incarnation(
        _ proven: UInt64, _ signer: Signer, _ snapshot: Snapshot
    ) -> UInt64 {
        #if MUTANTS
            if Mutant.trustRestoredHistory.isActive {
                let own = snapshot.logs.keys.filter { $0.name.author == PeerID(signer.publicKey) }
                return own.min()?.name.incarnation ?? proven
            }
        #endif
        return proven
    }

    /// Takes an event and says what to do, in order.
    ///
    /// - Precondition: called by one caller at a time, with a monotonic clock that does not go back.
    package mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        precondition(now.monotonic >= self.now.monotonic, "the monotonic clock does not go back")
        self.now = now
        self.lookAtClock()
        switch event {
        case .started: self.start()
        case .linkOpened(let link, let info, let address, let dial):
            self.linkOpened(link, info, address: address, dial: dial)
        case .linkClosed(let link, let failure): self.linkClosed(link, failure)
        case .received(let link, let frame): self.receiveFrame(frame, on: link)
        case .dialFailed(let dial, let failure):
            self.perform(self.probes.dialEnded(dial, DialBackOutcome(failure)))
            self.performDialling(
                self.dialling.dialFailed(dial, failure, at: now, using: &self.random))
        case .incomingFailed(let address, let failure):
            self.refuse(address: address, peer: nil, "\(failure)")
        case .committed(let outcome): self.batchCommitted(outcome)
        case .commitFailed(let failure): self.batchFailed(failure)
        case .runsRead(let read, let runs): self.runsRead(read, runs)
        case .payloadsRead(let read, let stored): self.payloadsRead(read, stored)
        case .proofRead(let read, let proof): self.proofRead(read, proof)
        case .readFailed(let read, let failure): self.readFailed(read, failure)
        case .lookedUp(let request, let earlier): self.lookedUp(request, .earlier(earlier))
        case .lookUpFailed(let request, let failure): self.lookedUp(request, .failed(failure))
        case .timer(let timer): self.timerFired(timer)
        case .found(let service):
            self.performDialling(
                self.dialling.serviceFound(service, at: now, using: &self.random))
        case .seen(let count):
            self.performDialling(self.dialling.servicesSeen(count, at: now))
        case .lost(let name): self.performDialling(self.dialling.serviceLost(name, at: now))
        case .networkChanged: self.networkChanged()
        case .reachable(let reach, let own): self.setReach(reach, own: own)
        // What it says was looked at above.
        case .clockSet: self.renewSecrets()
        case .request(let request, let what): self.handleRequest(what, request)
        case .realms(let realms): self.setRealms(realms)
        case .preferences(let preferences): self.setPreferences(preferences)
        case .set(let name, let value):
            self.disk.commits.add([Notice(.set(name, value), at: now.wall)])
        case .transfer(let event): self.transferred(event)
        case .examined(let found): self.examined(found)
        case .packetsCounted(let counts): self.packetsCounted(counts)
        case .flightsSeen(let flights): self.flightsSeen(flights)
        case .damage(let text): self.damageFound(text)
        case .sites(let problem): self.sitesAre(problem)
        case .handOver(let link, let bytes): self.handOver(bytes, on: link)
        case .personKeys(let keys): self.hold(keys)
        case .unwritable(let text): self.raiseAlert(.storage, text)
        }
        self.settleSyncs()
        self.endDepartures()
        self.closeDoomed()
        self.planFreedWants()
        if self.catchUp.payloadWants.isDue { self.planPayloads() }
        if self.catchUp.holes.isDue(at: now.monotonic) { self.lookAtHoles() }
        self.tellAlerts()
        self.forgetStrangers()
        self.startBatch()
        var actions: [Action] = []
        swap(&actions, &self.actions)
        return actions
    }

    /// Lends the node to a body that only asks.
    ///
    /// A node in an optional or in another module's storage is copied by each call that does not
    /// change it, which counts up every table it has; this one takes it where it is.
    package mutating func ask<Result, Failure>(
        _ body: (borrowing Node) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self)
    }

    private mutating func start() {
        self.signals.begin(at: self.now)
        if self.persons.profiles.profile(of: self.id) == nil {
            self.setProfile(
                Profile(name: self.own.configuration.name, status: ""), request: nil)
        }
        self.renewProfile()
        self.tellNewIncarnation()
        self.tellLoss()
        self.armRelease()
        self.startMarks()
        for id in self.conversations.table.keys.sorted() { self.releaseLogs(of: id) }
        for id in self.conversations.table.keys.sorted() { self.watchHoles(in: id) }
        self.lookAtStreams()
        self.restoreOwnReads()
        self.thinRecords()
        self.renewSecrets()
        let blocked = self.chosenPeople.filter { self.standing(of: $0) == .blocked }
        self.performDialling(self.dialling.block(blocked))
        let revoked = self.persons.people.revocations.keys.sorted()
        self.performDialling(
            self.dialling.block(revoked.filter { self.persons.people.isRevoked($0) }))
        self.wantKnown()
        self.performDialling(self.dialling.start(self.own.configuration.staticPeers, at: self.now))
        self.followOwn()
        self.searchPeers()
    }

    private mutating func timerFired(_ timer: Timer) {
        switch timer {
        case .ping(let link): self.pingDue(link)
        case .probe(let peer): self.probeDue(peer)
        case .stagger(let id): self.performDialling(self.dialling.staggerDue(id, at: self.now))
        case .redial(let id):
            self.performDialling(
                self.dialling.redialDue(id, at: self.now, using: &self.random))
        case .search:
            self.performDialling(self.dialling.searchDue(at: self.now, using: &self.random))
        case .seek: self.seekDue()
        case .trial(let link): self.trialDue(link)
        case .connect(let request): self.performDialling(self.dialling.connectDue(request))
        case .dialBacks: self.perform(self.probes.dialBacksDue(self.links, at: self.now))
        case .packets: self.perform(self.probes.packetsDue(self.links, at: self.now))
        case .delta: self.deltaDue()
        case .fetch: self.fetchingDue()
        case .payloads: self.payloadsDue()
        case .release: self.disk.commits.release = true
        case .delivery: self.deliveriesDue()
        case .marks: self.marksDue()
        case .holes: self.catchUp.holes.woke()
        case .streams: self.streamsDue()
        case .networkCheck: self.networkCheckDue()
        case .pulse: self.pulseDue()
        case .storage: self.disk.commits.retry()
        case .secrets: self.secretsDue()
        case .addresses: self.addressesDue()
        case .transfers: self.transfersDue()
        case .signals:
            self.perform(self.signals.wake(of: self.links, self.conversations, at: self.now))
        case .devices: self.perform(self.devices.wake(at: self.now))
        case .groups: self.joinsDue()
        case .alerts: break  // what is due is told after each event
        }
    }
}

/// What a node is: who signs, whose device it is, which start it is, how it was configured.
struct OwnNode: Sendable {
    let signer: Signer
    let certificate: Certificate
    var person: PersonKeys
    let boot: UInt64
    var configuration: NodeConfiguration
    /// The realms that it is in, and how their rooms are written.
    var realms = Realms()
    /// The secrets that count, as handshakes and links use them.
    var secrets: [RealmSecret] = []
}
