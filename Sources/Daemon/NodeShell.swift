internal import ControlAPI
internal import Discovery
internal import Engine
public import Loop
public import Crypto
internal import Posix
internal import Storage

/// Does what the node decides: owns its streams, timers, store calls and clients.
///
/// Pinned to the event loop, so everything here runs on the loop's thread and callbacks of the loop
/// enter directly. Whatever comes in runs as one turn: what it tells the node is queued, the node
/// is asked event by event, its actions are performed in order, and only then is written what they
/// queued. So the node is never entered from inside its own actions.
public actor NodeShell {
    let configuration: Configuration
    let loop: EventLoop
    let log: Log
    let signer: Signer
    let activated: [ActivatedSocket]
    let controlBounds: ControlBounds
    /// Fresh per start and never written down.
    let staticKey = KeyPair.generate()
    /// Random per start, for the handshake.
    let boot: UInt64
    let startedAt = SystemClock.wallMilliseconds()

    var node: Node<SodiumRandom>?
    var store: MessageStore?
    var storeExecutor: ThreadExecutor?
    var worker: Worker?
    var phase = Phase.starting
    /// What the process ends with; set before the loop is stopped.
    public private(set) var failure: StartError?

    // One turn.
    var events: [Event] = []
    private var isInTurn = false
    var dirtyStreams: [PeerStream] = []
    var dirtyClients: [ControlConnection] = []

    // Links.
    var listener: Listener?
    /// Why not all addresses are listened on; told when it is another reason.
    var listenFailure: SystemError?
    var sessionIdentity: SessionIdentity?
    var admission = Admission()
    var streams: [ObjectIdentifier: PeerStream] = [:]
    /// Streams that have said goodbye and wait for the peer to close, the first one first: as many
    /// as links, which may all end at once.
    var draining: [ObjectIdentifier] = []
    var halfOpen: [UInt64: PeerStream] = [:]
    var dials: [DialID: PeerStream] = [:]
    var links: [LinkID: PeerStream] = [:]
    var nextLink: UInt64 = 1
    var bulk = BulkQueue()
    var bulkPace = BulkPace()
    private var hasBulkTurn = false
    private var bulkTimer: LoopTimer?
    var refusalLog = RefusalLog()
    var addressMonitor: AddressMonitor?
    let readBuffer = ReadBuffer()

    var discovery: (any ServiceDiscovery)?
    var discoveryStatus = DiscoveryStatus()

    // Time and disk.
    var timers: [Engine.Timer: LoopTimer] = [:]
    var tasks: [UInt64: Task<Void, Never>] = [:]
    var nextTask: UInt64 = 1
    var closing: Task<Void, Never>?
    var commitsUnderWay = 0
    var isCheckpointing = false
    var pace = CommitPace()
    var readPace = ReadPace()
    /// A small batch that waits for the end of the round.
    var lateBatch: Batch?
    var delays: [UInt64: LoopTimer] = [:]
    /// Whether the network has been told that this node goes.
    var isGoodbyeOut = false
    var stopStep = StopStep.finishingWork

    // Bit rot.
    var scrubSchedule: ScrubSchedule
    var damage: Alert?

    // Clients.
    var control: ControlServer?
    var requests: [Engine.RequestID: PendingRequest] = [:]
    var nextRequest: UInt64 = 1
    var subscriptions: [SubscriptionKey: Subscription] = [:]
    var nextSubscription: Int64 = 1
    var newestShown = Cursor(0)

    enum Phase {
        case starting
        case running
        /// Pending work is finished, nothing new is taken.
        case stopping
        case stopped
    }

    /// What stopping waits for.
    enum StopStep {
        /// Commits and answers that are under way.
        case finishingWork
        /// Peers, clients and the network being told.
        case goodbyes
        /// The store being closed.
        case closing
    }

    /// Prepares a shell; nothing is opened before ``launch()``.
    ///
    /// - Parameters:
    ///   - activated: sockets that systemd handed over.
    ///   - bounds: what clients may cost.
    public init(
        configuration: Configuration, loop: EventLoop, signer: Signer, log: Log,
        activated: [ActivatedSocket] = [], bounds: ControlBounds = ControlBounds()
    ) {
        self.init(
            configuration: configuration, loop: loop, signer: signer, log: log,
            activated: activated, bounds: bounds, scrub: ScrubSchedule())
    }

    init(
        configuration: Configuration, loop: EventLoop, signer: Signer, log: Log,
        activated: [ActivatedSocket], bounds: ControlBounds, scrub: ScrubSchedule
    ) {
        self.scrubSchedule = scrub
        self.configuration = configuration
        self.loop = loop
        self.log = log
        self.signer = signer
        self.activated = activated
        self.controlBounds = bounds
        var random = SodiumRandom()
        self.boot = random.next()
    }

    /// The event loop.
    public nonisolated var unownedExecutor: UnownedSerialExecutor {
        self.loop.asUnownedSerialExecutor()
    }

    /// The two clocks.
    var now: Instant {
        Instant(
            monotonic: SystemClock.monotonicMilliseconds(), wall: SystemClock.wallMilliseconds())
    }

    // MARK: Turns

    /// Runs what came in, then the node until it has nothing more to do, then writes.
    ///
    /// Inside a turn it only runs the body, since the outer turn does the rest.
    func turn(_ body: () -> Void) {
        guard !self.isInTurn else {
            body()
            return
        }
        self.isInTurn = true
        self.readPace.beginTurn()
        body()
        repeat {
            while !self.events.isEmpty {
                let events = self.events
                self.events = []
                for (index, event) in events.enumerated() {
                    let isFollowed = index + CommitPace.followers < events.count
                    for action in self.node?.handle(event, at: self.now) ?? [] {
                        self.perform(action, isFollowed: isFollowed)
                    }
                }
            }
            self.flush()
            self.commitLateBatch()
        } while !self.events.isEmpty || !self.dirtyStreams.isEmpty || !self.dirtyClients.isEmpty
        self.isInTurn = false
        self.planBulk()
        if self.phase == .stopping { self.goOnStopping() }
    }

    /// Tells the node at the end of the turn.
    func happened(_ event: Event) {
        self.events.append(event)
    }

    /// Has the next run of history taken once the loop has looked for what else came.
    private func planBulk() {
        guard !self.hasBulkTurn, !self.bulk.isEmpty, let earliest = self.bulkPace.earliest else {
            return
        }
        self.hasBulkTurn = true
        guard earliest > SystemClock.monotonicMicroseconds() else {
            self.loop.runLater { [weak self] in self?.assumeIsolated { $0.takeBulk() } }
            return
        }
        do throws(SystemError) {
            if self.bulkTimer == nil {
                self.bulkTimer = try self.loop.makeTimer { [weak self] in
                    self?.assumeIsolated { $0.takeBulk() }
                }
            }
            self.bulkTimer?.set(deadlineMicroseconds: earliest, accuracy: .exact)
        } catch {
            self.fail(StartError(error))
        }
    }

    private func takeBulk() {
        self.hasBulkTurn = false
        self.turn {
            // A batch that has begun meanwhile puts it off, which the end of the turn plans.
            guard let earliest = self.bulkPace.earliest,
                earliest <= SystemClock.monotonicMicroseconds(),
                let (link, frames) = self.bulk.next()
            else { return }
            for frame in frames { self.happened(.received(link, frame)) }
        }
    }

    private func flushStreams() {
        guard !self.dirtyStreams.isEmpty else { return }
        let streams = self.dirtyStreams
        self.dirtyStreams = []
        for stream in streams { stream.flush() }
    }

    private func flush() {
        self.flushStreams()
        let clients = self.dirtyClients
        self.dirtyClients = []
        for client in clients { client.flush() }
    }

    // MARK: Actions

    private func perform(_ action: Action, isFollowed: Bool) {
        switch action {
        case .dial(let dial, let address, let key): self.dial(dial, address, expecting: key)
        case .refresh(let service): self.discovery?.refresh(name: service)
        case .abandon(let dial): self.dials.removeValue(forKey: dial)?.close()
        case .send(let link, let frame): self.send(frame, on: link)
        case .close(let link, let reason, let text):
            _ = self.bulk.removeAll(of: link)
            self.links.removeValue(forKey: link)?.close(reason, text)
        case .commit(let batch): self.commit(batch, isFollowed: isFollowed)
        case .readRuns(let read, let log, let from, let through, let bytes):
            self.readRuns(read, log, from: from, through: through, byteLimit: bytes)
        case .lookUp(let request, let key): self.lookUp(request, key: key)
        case .arm(let timer, let at): self.arm(timer, at: at)
        case .disarm(let timer): self.timers.removeValue(forKey: timer)?.cancel()
        case .answer(let request, let answer):
            // What peers get first is on its way before clients are answered.
            self.flushStreams()
            self.answered(request, answer)
        case .show(let messages): self.show(messages)
        case .log(let level, let text): self.log(level, text)
        }
    }

    private func arm(_ timer: Engine.Timer, at moment: UInt64) {
        if self.timers[timer] == nil {
            do throws(SystemError) {
                self.timers[timer] = try self.loop.makeTimer {
                    // Most timers name something that may be gone for good, so none is kept.
                    self.timers.removeValue(forKey: timer)?.cancel()
                    self.turn { self.happened(.timer(timer)) }
                }
            } catch {
                // Without timers the node stands still, so ending is the honest thing to do.
                self.fail(StartError(error))
                return
            }
        }
        self.timers[timer]?.set(deadlineMilliseconds: moment, accuracy: timer.accuracy)
    }

    // MARK: The end

    /// Ends the process because of a failure that nothing can be done about here.
    func fail(_ error: StartError) {
        if self.failure == nil { self.failure = error }
        self.log(.error, error.description)
        self.phase = .stopped
        self.loop.stop()
    }

    func ended() {
        self.phase = .stopped
        self.loop.stop()
    }
}

extension Engine.Timer {
    /// How late a timer may be: what people wait for is exact, the rest shares wake-ups.
    fileprivate var accuracy: LoopTimer.Accuracy {
        switch self {
        case .delta, .fetch, .stagger, .probe, .delivery: .milliseconds(5)
        case .ping, .redial, .release, .networkCheck, .storage: .coarse
        }
    }
}
