public import Crypto

/// Every decision of a daemon: what comes in is an ``Event``, what to do about it are ``Action``s.
///
/// A value without I/O, clock or threads, so that the daemon and a simulator run the same code. Disk is
/// a peer like any other: ``Action/commit(_:)`` goes out, ``Event/committed(_:)`` comes back, and only
/// then is anything acknowledged, shown, counted in a clock, credited or pushed.
public struct Node<Random: RandomNumberGenerator & Sendable>: Sendable {
    var random: Random
    let signer: Signer
    /// The own key.
    public let id: PeerID
    let boot: UInt64
    let configuration: NodeConfiguration

    // What the running call gathers.
    var actions: [Action] = []
    var now = Instant(monotonic: 0, wall: 0)

    // The store: one batch at a time, and what waits for the next one.
    var incarnation: UInt64
    var isIncarnationStored: Bool
    var inFlight: InFlight?
    var batchNumber: UInt64 = 0
    var commitQueue = CommitQueue()
    var storageRetryAt: UInt64?
    /// Until when batches are kept small for live messages.
    var smallBatchesUntil: UInt64 = 0
    /// Whether the last batch had runs of catch-up.
    var hadCatchUp = false
    var held: HeldEntries
    var latestOwnTime: HybridTime
    var reads: [ReadID: ReadPurpose] = [:]
    var lastRead: UInt64 = 0
    var keys = RecentKeys()
    var lookUps: [RequestID: Outgoing] = [:]
    var deliveries = Deliveries()
    var deliveryArmedAt: UInt64?

    // Conversations and people.
    var conversationTable = Table<ConversationID, Conversation>()
    var profiles: [PeerID: Record] = [:]

    // Links and sync.
    var links = Table<LinkID, Link>()
    /// The links that share a conversation, oldest first.
    var sharers: [ConversationID: [LinkID]] = [:]
    /// The links that keep records of authors who are not known yet.
    var earlyHolders: Set<LinkID> = []
    var clocks = PeerClocks()
    var linkOfPeer: [PeerID: LinkID] = [:]
    var contest = LinkContest()
    /// When the network changed, until the links have been looked at.
    var networkChangedAt: UInt64?
    var fetches: [LogKey: Fetch] = [:]
    var forkSearches: [LogKey: ForkSearch] = [:]
    /// Links on which a want has ended while others wait for one.
    var freed: Set<LinkID> = []
    /// Conversations in which a peer has what this node may have to ask for.
    var seeking: Set<ConversationID> = []
    var news = News()
    var isDeltaArmed = false
    var fetchArmedAt: UInt64?

    var dialling: Dialling
    var alerts = Alerts()

    /// Creates a node from what it finds on disk; ``Event/started`` must be its first event.
    ///
    /// - Parameters:
    ///   - boot: random per start; the same as in the sessions' ``SessionIdentity``.
    ///   - random: salts and incarnations come from it, so it must not be predictable.
    public init(
        signer: Signer, boot: UInt64, configuration: NodeConfiguration, snapshot: Snapshot,
        random: Random
    ) {
        var random = random
        self.incarnation = snapshot.incarnation ?? random.next()
        self.random = random
        self.signer = signer
        self.id = PeerID(signer.publicKey)
        self.boot = boot
        self.configuration = configuration
        self.isIncarnationStored = snapshot.incarnation != nil
        self.held = snapshot.held
        self.latestOwnTime = snapshot.latestOwnTime
        self.dialling = Dialling(own: self.id, known: snapshot.peers)
        #if MUTANTS
            if Mutant.trustRestoredHistory.isActive {
                let own = snapshot.logs.keys.filter { $0.name.author == PeerID(signer.publicKey) }
                self.incarnation = own.min()?.name.incarnation ?? self.incarnation
            }
        #endif
        for record in snapshot.records where record.kind == Record.Kind.profile {
            self.profiles[record.author] = record
        }
        self.restoreConversations(snapshot)
    }

    private mutating func restoreConversations(_ snapshot: Snapshot) {
        for (id, membership) in snapshot.rooms {
            var conversation = Conversation(
                id: id, name: membership.name, isJoined: membership.isJoined)
            conversation.latestShown = snapshot.latestShown[id] ?? HybridTime(0)
            // Older joins and leaves that arrive later must not undo what the store has settled.
            for member in snapshot.members[id] ?? [] {
                conversation.attendance[member] = Attendance(
                    time: conversation.latestShown, isPresent: true)
            }
            self.conversationTable[id] = conversation
        }
        let proofs = Dictionary(
            snapshot.proofs.map { ($0.key, $0) },
            uniquingKeysWith: { $0.point < $1.point ? $0 : $1 })
        for (key, log) in snapshot.logs {
            self.conversationTable[key.conversation]?.restore(key.name, log, fork: proofs[key])
        }
    }

    /// Takes an event and says what to do, in order.
    ///
    /// - Precondition: called by one caller at a time, with a monotonic clock that does not go back.
    @_specialize(where Random == SodiumRandom)  // other modules see only the generic code
    public mutating func handle(_ event: Event, at now: Instant) -> [Action] {
        precondition(now.monotonic >= self.now.monotonic, "the monotonic clock does not go back")
        self.now = now
        self.clocks.look(at: now)
        switch event {
        case .started: self.start()
        case .linkOpened(let link, let info, let address, let dial):
            self.linkOpened(link, info, address: address, dial: dial)
        case .linkClosed(let link, let failure): self.linkClosed(link, failure)
        case .received(let link, let frame): self.received(frame, on: link)
        case .dialFailed(let dial, let failure):
            self.perform(
                self.dialling.dialFailed(dial, failure, at: now, using: &self.random))
        case .incomingFailed(let address, let failure):
            self.refuse(address: address, peer: nil, "\(failure)")
        case .committed(let outcome): self.committed(outcome)
        case .commitFailed(let failure): self.commitFailed(failure)
        case .runsRead(let read, let runs): self.runsRead(read, runs)
        case .readFailed(let read, let failure): self.readFailed(read, failure)
        case .lookedUp(let request, let sent): self.lookedUp(request, sent)
        case .lookUpFailed(let request, let failure):
            self.lookUps[request] = nil
            self.actions.append(.answer(request, .failed(.storage(failure))))
        case .timer(let timer): self.timerFired(timer)
        case .found(let service): self.perform(self.dialling.serviceFound(service, at: now))
        case .lost(let name): self.perform(self.dialling.serviceLost(name))
        case .networkChanged: self.networkChanged()
        case .request(let request, let what): self.requested(what, request)
        }
        self.planFreed()
        self.startBatch()
        var actions: [Action] = []
        swap(&actions, &self.actions)
        return actions
    }

    /// Lends the node to a body that only asks.
    ///
    /// A node in an optional or in another module's storage is copied by each call that does not
    /// change it, which counts up every table it has; this one takes it where it is.
    public mutating func ask<Result, Failure>(
        _ body: (borrowing Node) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        try body(self)
    }

    private mutating func start() {
        if self.profiles[self.id] == nil {
            self.setProfile(Profile(name: self.configuration.name, status: ""), request: nil)
        }
        self.armRelease()
        self.perform(self.dialling.start(self.configuration.staticPeers, at: self.now))
    }

    private mutating func timerFired(_ timer: Timer) {
        switch timer {
        case .ping(let link): self.pingDue(link)
        case .probe(let peer): self.probeDue(peer)
        case .stagger(let target):
            self.perform(self.dialling.staggerDue(target, at: self.now))
        case .redial(let target): self.perform(self.dialling.redialDue(target, at: self.now))
        case .connect(let request): self.perform(self.dialling.connectDue(request))
        case .delta: self.sendDeltas()
        case .fetch: self.fetchDue()
        case .release: self.commitQueue.release = true
        case .delivery: self.deliveriesDue()
        case .networkCheck: self.networkCheckDue()
        case .storage: self.storageRetryAt = nil
        }
    }

    // MARK: What all parts use

    mutating func log(_ level: LogLevel, _ text: String) {
        self.actions.append(.log(level, text))
    }

    mutating func raiseAlert(_ code: Alert.Code, about peer: PeerID? = nil, _ text: String) {
        let isNews = self.alerts.raise(code, about: peer, text, at: self.now)
        if isNews { self.log(.warning, text) }
    }

    mutating func refuse(address: String?, peer: PeerID?, _ reason: String) {
        let (level, text) = self.alerts.refuse(
            address: address, peer: peer, reason, at: self.now)
        self.log(level, text)
    }

    /// Puts a frame on a link, in order behind what already waits for credit there.
    mutating func send(_ frame: Frame, on link: LinkID) {
        self.send(frame.encoded, on: link)
    }

    mutating func send(_ frame: EncodedFrame, on link: LinkID) {
        switch self.links[link]?.send(frame) {
        case .now: self.actions.append(.send(link, frame))
        case .never: self.close(link, .busy, "the peer does not take what it is sent")
        case .later, nil: break
        }
    }

    /// The links that share a conversation, oldest first.
    func links(sharing conversation: ConversationID) -> [LinkID] {
        self.sharers[conversation] ?? []
    }
}
