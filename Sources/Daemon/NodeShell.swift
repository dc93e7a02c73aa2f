internal import ControlAPI
internal import Crypto
internal import Discovery
internal import Engine
package import Formats
package import Loop
internal import Posix
internal import Storage

/// Does what the node decides: owns its streams, timers, store calls and clients.
///
/// Pinned to the event loop, so everything here runs on the loop's thread and callbacks of the loop
/// enter directly. Whatever comes in runs as one turn: what it tells the node is queued, the node
/// is asked event by event, its actions are performed in order, and only then is written what they
/// queued. So the node is never entered from inside its own actions.
package actor NodeShell {
    var configuration: Configuration
    let loop: EventLoop
    let log: Journal
    let birth: Birth

    var node: Node?
    var phase = Phase.starting
    /// What the process ends with; set before the loop is stopped.
    package private(set) var failure: StartError?
    /// Whether the daemon is to begin again in this process once the loop has ended.
    package internal(set) var isToRestart = false

    // One turn.
    private var events: [Event] = []
    private var isInTurn = false

    // Time and disk.
    lazy var timers = self.makeTimers()
    var store: OpenStore?
    /// Whether what was erased is soon taken out of the write-ahead log.
    var isLogToBeEmptied = false
    var scheduler = StoreScheduler()
    var tasks = TaskTable()
    var scrub: ScrubSchedule
    var rest = RestSchedule()

    // Peers.
    let readBuffer = ReadBuffer()
    lazy var peerStreams = self.makePeerStreams()
    var listening = Listening()
    let discovery = RunningDiscovery()
    var worker: Worker?
    /// Makes the key of a secret room of its phrase; nil while none is being made.
    var phrases: Worker?

    // Realms and backups.
    /// How many parts of a restored backup are still on their way to the disk.
    var restoring = 0
    var realms = StoredRealms()

    // Clients.
    var control: ControlServer?
    var dirtyClients: [ControlConnection] = []
    var requests = PendingRequests()
    /// The monotonic moment at which a client has said last that the user is at it.
    var userActiveAt: UInt64?
    /// Whether the user is away since nobody was at a client, and not by their own word.
    var isAwayUnattended = false
    var subscriptions: [SubscriptionKey: Subscription] = [:]
    let search = SearchFeed()
    let files = FileTransfers()
    let streams = ClientStreams()
    /// Whether what is old is to be looked at again.
    var isRetentionPlanned = false
    /// Whether counters are written again and again, and why that failed last.
    var isMetricsPlanned = false
    var metricsFailure: String?
    var nextSubscription: Int64 = 1
    var newestShown = Cursor(0)

    /// What a start is given, and what makes it this one.
    struct Birth {
        let identity: OwnIdentity
        /// Sockets that systemd handed over.
        let activated: [ActivatedSocket]
        /// What clients may cost.
        let bounds: ControlBounds
        /// What a restored backup has that this start takes up.
        let restored: Contacts?
        /// Reads the configuration anew.
        let rereading: Rereading?
        /// Random per start, for the handshake.
        let boot: UInt64
        let moment = SystemClock.wallMilliseconds()
    }

    enum Phase: Equatable {
        case starting
        case running
        /// Pending work is finished, nothing new is taken.
        case stopping(StopStep)
        case stopped
    }

    /// Prepares a shell; nothing is opened before ``launch()``.
    ///
    /// - Parameters:
    ///   - restored: what a backup has that was restored and that this start is to take up.
    ///   - activated: sockets that systemd handed over.
    ///   - rereading: reads the configuration anew, when that is asked for.
    package init(
        configuration: Configuration, loop: EventLoop, identity: OwnIdentity,
        restored: Contacts? = nil, log: Journal, activated: [ActivatedSocket] = [],
        rereading: Rereading? = nil
    ) {
        self.init(
            configuration: configuration, loop: loop, identity: identity, restored: restored,
            log: log, activated: activated, bounds: ControlBounds(), scrub: ScrubSchedule(),
            rereading: rereading)
    }

    init(
        configuration: Configuration, loop: EventLoop, identity: OwnIdentity, restored: Contacts?,
        log: Journal, activated: [ActivatedSocket], bounds: ControlBounds, scrub: ScrubSchedule,
        rereading: Rereading? = nil
    ) {
        self.configuration = configuration
        self.loop = loop
        self.log = log
        var random = SodiumRandom()
        self.birth = Birth(
            identity: identity, activated: activated, bounds: bounds, restored: restored,
            rereading: rereading, boot: random.next())
        self.scrub = scrub
    }

    /// The event loop.
    package nonisolated var unownedExecutor: UnownedSerialExecutor {
        self.loop.asUnownedSerialExecutor()
    }

    /// What opens sealed messages; a copy, for threads other than the loop's.
    var keyring: Keyring { self.node?.ask { $0.keyring } ?? Keyring() }

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
        self.scheduler.beginTurn()
        self.peerStreams.beginTurn()
        body()
        repeat {
            self.askNode()
            self.flush()
            self.commitLateBatch()
        } while !self.events.isEmpty || self.peerStreams.hasUnwritten || !self.dirtyClients.isEmpty
        self.isInTurn = false
        self.peerStreams.setPaused(self.node?.ask { $0.isCrowded } ?? false)
        self.planHistory()
        if case .stopping(let step) = self.phase { self.goOnStopping(step) }
    }

    /// Tells the node at the end of the turn.
    func happened(_ event: Event) {
        self.events.append(event)
    }

    private func askNode() {
        while !self.events.isEmpty {
            let events = self.events
            self.events = []
            // By index, since an element of a loop is a copy.
            for index in events.indices {
                let isFollowed = index + CommitPace.followers < events.count
                let actions = self.node?.handle(events[index], at: self.now) ?? []
                for index in actions.indices {
                    self.perform(actions[index], isFollowed: isFollowed)
                }
            }
        }
    }

    private func flush() {
        self.peerStreams.flush()
        let clients = self.dirtyClients
        self.dirtyClients = []
        for client in clients { client.flush() }
    }

    /// Does something later, once, in a turn.
    func after(
        _ milliseconds: UInt64, accuracy: LoopTimer.Accuracy = .coarse,
        _ body: @escaping () -> Void
    ) {
        do throws(SystemError) {
            try self.timers.after(milliseconds, accuracy: accuracy, body)
        } catch { self.fail(StartError(error)) }
    }

    private func makeTimers() -> ShellTimers {
        ShellTimers(loop: self.loop) {
            self.turn($0)
        } tell: {
            self.happened($0)
        }
    }

    // MARK: What peers send

    private func makePeerStreams() -> PeerStreams {
        PeerStreams(
            PeerStreams.Surroundings(
                loop: self.loop, buffer: self.readBuffer, log: self.log,
                turn: { self.turn($0) }, tell: { self.peersTell($0) },
                isStranger: { peer in
                    self.node?.ask { $0.tier(of: peer) } ?? .stranger <= .stranger
                }))
    }

    /// Tells the node what happens on streams; history waits for its turn.
    private func peersTell(_ event: Event) {
        switch event {
        case .received(let link, let frame):
            switch self.scheduler.arrived(frame, from: link) {
            case .later: return
            case .now: break
            case .behind(let earlier): self.received(earlier, on: link)
            }
        case .linkClosed(let link, _):
            // After what came on the link before.
            self.received(self.scheduler.removeHistory(of: link), on: link)
        default: break
        }
        self.happened(event)
    }

    private func received(_ frames: [ReceivedFrame], on link: LinkID) {
        for frame in frames { self.happened(.received(link, frame)) }
    }

    /// Has the next run of history taken once the loop has looked for what else came.
    private func planHistory() {
        guard let moment = self.scheduler.planHistory() else { return }
        guard moment > SystemClock.monotonicMicroseconds() else {
            self.loop.runLater { [weak self] in self?.assumeIsolated { $0.takeHistory() } }
            return
        }
        do throws(SystemError) {
            try self.timers.atExactly(moment) { [weak self] in
                self?.assumeIsolated { $0.takeHistory() }
            }
        } catch { self.fail(StartError(error)) }
    }

    private func takeHistory() {
        let now = SystemClock.monotonicMicroseconds()
        var bringer: LinkID?
        self.turn {
            let next = self.scheduler.takeHistory(at: now) { self.peerStreams.comesLast($0) }
            guard let (link, frames) = next else { return }
            bringer = link
            self.received(frames, on: link)
        }
        guard let bringer else { return }
        self.peerStreams.spent(SystemClock.monotonicMicroseconds() - now, by: bringer)
    }

    // MARK: Actions

    private func perform(_ action: Action, isFollowed: Bool) {
        switch action {
        case .dial(let dial, let address, let key):
            self.peerStreams.dial(dial, address, expecting: key)
        case .refresh(let service): self.discovery.refresh(service)
        case .search(let search): self.discovery.search(search)
        case .abandon(let dial): self.peerStreams.abandon(dial)
        case .send(let link, let frame): self.peerStreams.send(frame, on: link)
        case .close(let link, let reason, let text):
            _ = self.scheduler.removeHistory(of: link)
            self.peerStreams.close(link, reason, text)
        case .hold(let secrets): self.peerStreams.hold(secrets)
        case .commit(let batch): self.commit(batch, isFollowed: isFollowed)
        case .readRuns(let read, let log, let from, let through, let bytes):
            self.readRuns(read, log, from: from, through: through, byteLimit: bytes)
        case .readPayloads(let read, let log, let from, let through):
            self.readPayloads(read, log, from: from, through: through)
        case .readProof(let read, let log): self.readProof(read, log)
        case .lookUp(let request, let conversation, let key):
            self.lookUp(request, key: key, in: conversation)
        case .arm(let timer, let at):
            do throws(SystemError) {
                try self.timers.arm(timer, at: at)
            } catch {
                // Without timers the node stands still, so ending is the honest thing to do.
                self.fail(StartError(error))
            }
        case .disarm(let timer): self.timers.disarm(timer)
        case .transfer(let task): self.perform(task)
        case .answer(let request, let answer):
            // What peers get first is on its way before clients are answered.
            self.peerStreams.flush()
            self.answered(request, answer)
        case .show(let changes): self.show(changes)
        case .signal(let signals): self.signal(signals)
        case .log(let level, let text, let subject):
            self.log(level, text, about: subject)
        case .countPackets(let links):
            self.happened(.packetsCounted(self.peerStreams.packetCounts(of: links)))
        case .examine: self.examine { self.happened(.examined($0)) }
        }
    }

    // MARK: The end

    /// Ends the process because of a failure that nothing can be done about here.
    func fail(_ error: StartError) {
        if self.failure == nil { self.failure = error }
        self.log(.error, error.description)
        self.end()
    }

    /// Ends the loop, and with it the process.
    func end() {
        self.phase = .stopped
        self.loop.stop()
    }
}
