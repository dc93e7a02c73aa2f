internal import Blobs
internal import ControlAPI
internal import Crypto
internal import Discovery
internal import Engine
internal import Formats
internal import Loop
internal import Posix
internal import Storage

/// Does what the node decides: owns its streams, timers, store calls and clients.
///
/// Pinned to the event loop, so everything here runs on the loop's thread and callbacks of the loop
/// enter directly. Whatever comes in runs as one turn: what it tells the node is queued, the node
/// is asked event by event, its actions are performed in order, and only then is written what they
/// queued. So the node is never entered from inside its own actions.
actor NodeShell {
    var birth: Birth
    var configuration: Configuration
    var realms: StoredRealms
    let loop: EventLoop
    let log: Journal

    var node: Node
    var life = Life()
    private var turns = TurnEvents()
    lazy var timers = self.makeTimers()

    var disk: Disk
    lazy var peerStreams = self.makePeerStreams()
    var network: Network
    let clients: Clients
    let files: FileTransfers
    let search = SearchFeed()
    var workers: Workers
    var upkeep: Upkeep

    /// Makes the shell of a node that begins with ``begin()``.
    init(
        _ opening: Opening, _ realms: StoredRealms, _ found: Opening.Found, files: BlobStore,
        worker: Worker, control: sending ControlServer, listening: sending Listening,
        discovery: sending RunningDiscovery
    ) {
        let (birth, configuration) = (opening.birth, opening.configuration)
        self.birth = birth
        self.configuration = configuration
        self.realms = realms
        self.loop = opening.loop
        self.log = opening.log
        let peers = birth.isOnlyReading ? [] : configuration.peers
        let numeric = peers.compactMap { peer in
            peer.numeric.map { StaticPeer(address: $0, key: peer.key) }
        }
        self.node = Node(
            signer: birth.identity.signer, certificate: birth.identity.certificate,
            person: birth.identity.person, boot: birth.boot,
            configuration: NodeConfiguration(
                name: configuration.name, staticPeers: numeric,
                buildTime: Build.timeMilliseconds, realms: realms.named(by: configuration),
                discovers: discovery.isRunning, preferences: configuration.preferences,
                diskBounds: DiskBounds(all: configuration.diskLimit)),
            snapshot: found.snapshot, random: .system(SodiumRandom()))
        self.disk = Disk(found.store, on: found.executor)
        self.network = Network(listening: listening, discovery: discovery)
        self.clients = Clients(control, newest: found.newest)
        self.files = FileTransfers(files)
        self.workers = Workers(worker)
        self.upkeep = Upkeep(birth.scrub)
    }

    /// The event loop.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        self.loop.asUnownedSerialExecutor()
    }

    /// What opens sealed messages; a copy, for threads other than the loop's.
    var keyring: Keyring { self.node.ask { $0.keyring } }

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
        guard self.turns.begin() else { return body() }
        self.disk.scheduler.beginTurn()
        self.peerStreams.beginTurn()
        body()
        repeat {
            self.askNode()
            self.flush()
            self.commitLateBatch()
        } while self.turns.hasEvents || self.peerStreams.hasUnwritten || self.clients.isDirty
        self.turns.end()
        self.peerStreams.setPaused(self.node.ask { $0.isCrowded })
        self.planHistory()
        if case .stopping(let step) = self.life.phase { self.goOnStopping(step) }
    }

    /// Tells the node at the end of the turn.
    func happened(_ event: Event) {
        self.turns.note(event)
    }

    private func askNode() {
        while self.turns.hasEvents {
            let events = self.turns.take()
            // What ends with the streams and the store is nothing to decide about.
            guard !self.life.isClosed else { continue }
            // By index, since an element of a loop is a copy.
            for index in events.indices {
                let isFollowed = index + CommitPace.followers < events.count
                let actions = self.node.handle(events[index], at: self.now)
                for index in actions.indices {
                    self.perform(actions[index], isFollowed: isFollowed)
                }
            }
        }
    }

    private func flush() {
        self.peerStreams.flush()
        self.clients.flush()
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
                loop: self.loop, buffer: self.clients.control.buffer, log: self.log,
                turn: { self.turn($0) }, tell: { self.peersTell($0) },
                isStranger: { peer in self.node.ask { $0.tier(of: peer) } <= .stranger }))
    }

    /// Tells the node what happens on streams; history waits for its turn.
    private func peersTell(_ event: Event) {
        switch event {
        case .received(let link, let frame):
            switch self.disk.scheduler.arrived(frame, from: link) {
            case .later: return
            case .now: break
            case .behind(let earlier): self.received(earlier, on: link)
            }
        case .linkClosed(let link, _):
            // After what came on the link before.
            self.received(self.disk.scheduler.removeHistory(of: link), on: link)
        default: break
        }
        self.happened(event)
    }

    private func received(_ frames: [ReceivedFrame], on link: LinkID) {
        for frame in frames { self.happened(.received(link, frame)) }
    }

    /// Has the next run of history taken once the loop has looked for what else came.
    private func planHistory() {
        guard let moment = self.disk.scheduler.planHistory() else { return }
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
            let next = self.disk.scheduler.takeHistory(at: now) { self.peerStreams.comesLast($0) }
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
        case .dial(let dial, let address, let key, let isNarrow):
            self.peerStreams.dial(dial, address, expecting: key, isNarrow: isNarrow)
        case .refresh(let service): self.network.discovery.refresh(service)
        case .search(let search): self.network.discovery.search(search)
        case .abandon(let dial): self.peerStreams.abandon(dial)
        case .send(let link, let frame): self.peerStreams.send(frame, on: link)
        case .close(let link, let reason, let text):
            _ = self.disk.scheduler.removeHistory(of: link)
            self.peerStreams.close(link, reason, text)
        case .hold(let secrets): self.peerStreams.hold(secrets)
        case .join(let realm): self.followRealm(realm)
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
        case .handOver(let link, let peer, let address): self.handOver(link, to: peer, address)
        case .transfer(let task): self.perform(task)
        case .answer(let request, let answer):
            // What peers get first is on its way before clients are answered.
            self.peerStreams.flush()
            self.answered(request, answer)
        case .show(let changes): self.show(changes)
        case .signal(let signals): self.signal(signals)
        case .changed(let list): self.changed(list)
        case .siteSignals: self.siteSignalsMayBeDue()
        case .log(let level, let text, let subject):
            self.log(level, text, about: subject)
        case .countPackets(let links):
            self.happened(.packetsCounted(self.peerStreams.packetCounts(of: links)))
        case .seeFlights(let links):
            self.happened(.flightsSeen(self.peerStreams.flights(of: links)))
        case .examine: self.examine { self.happened(.examined($0)) }
        }
    }
}
