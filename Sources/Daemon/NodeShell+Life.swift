internal import ControlAPI
internal import Engine
internal import Formats
internal import Loop
internal import Crypto
internal import Posix
internal import Storage

/// What stopping waits for.
enum StopStep {
    /// Commits and answers that are under way.
    case finishingWork
    /// Peers, clients and the network being told.
    case goodbyes
    /// The store being closed.
    case closing
}

extension NodeShell {
    /// How long pending work may take when the daemon is told to stop.
    private static let stopMilliseconds: UInt64 = 400
    /// How long goodbyes may take after that.
    private static let goodbyeMilliseconds: UInt64 = 400
    /// How long the disk may take after that.
    private static let closeMilliseconds: UInt64 = 150
    /// How soon a configured name that could not be looked up is tried again.
    private static let resolveAgainMilliseconds: UInt64 = 30_000

    // MARK: Start

    /// Starts on the loop, as soon as that runs.
    ///
    /// When it cannot, ``failure`` says why and the loop is stopped.
    package nonisolated func launch() {
        self.launch { shell throws(StartError) in try await shell.start() }
    }

    nonisolated func launch(
        _ body: @escaping @Sendable (isolated NodeShell) async throws(StartError) -> Void
    ) {
        self.loop.post {
            self.assumeIsolated { shell in
                let number = shell.tasks.number()
                let task = Task {
                    do throws(StartError) {
                        try await body(shell)
                    } catch { shell.fail(error) }
                    shell.tasks.ended(number)
                }
                shell.tasks.keep(task, as: number)
            }
        }
    }

    private func start() async throws(StartError) {
        self.realms = try self.realmFiles.load()
        self.warnOfUnknownRealm()
        // The socket first: whoever is quick waits there instead of being told that nobody is home.
        let control = try self.bindControlSocket()
        try self.listen()
        self.makeDiscovery()
        let (open, snapshot, newest) = try await self.openStore()
        // A signal may have come while the store was opened.
        guard self.phase == .starting else {
            await open.store.close()
            return
        }
        self.store = open
        self.newestShown = newest
        try self.openFiles()
        do throws(SystemError) {
            self.worker = try Worker(name: "stoad-worker", loop: self.loop)
        } catch { throw StartError(error) }
        let numeric = self.configuration.peers.compactMap { peer in
            peer.numeric.map { StaticPeer(address: $0, key: peer.key) }
        }
        self.node = Node(
            signer: self.birth.identity.signer, certificate: self.birth.identity.certificate,
            person: self.birth.identity.person, boot: self.birth.boot,
            configuration: NodeConfiguration(
                name: self.configuration.name, staticPeers: numeric,
                buildTime: Build.timeMilliseconds, realms: self.nodeRealms,
                discovers: self.discovery.isRunning, preferences: self.configuration.preferences,
                diskBounds: DiskBounds(all: self.diskLimit)),
            snapshot: snapshot, random: SodiumRandom())
        self.phase = .running
        let addresses = self.listening.addresses
        self.peerStreams.open(
            as: SessionIdentity(
                signer: self.birth.identity.signer, certificate: self.birth.identity.certificate,
                boot: self.birth.boot, listenPort: addresses.first?.port,
                realms: self.nodeRealms.secrets(at: self.now.wall),
                features: self.discovery.isRunning ? .ownAnnounced : .own))
        self.turn {
            self.happened(.started)
            self.takeUpRestored()
        }
        for peer in self.configuration.peers where peer.numeric == nil { self.follow(peer) }
        self.startMetrics()
        do throws(SystemError) {
            try control.begin()
            _ = try self.loop.enableWatchdog()
        } catch { throw StartError(error) }
        self.control = control
        self.startDiscovery()
        self.startScrub()
        self.startSearch()
        self.startFiles()
        self.turn { self.expireOld() }
        let places = addresses.map(\.description).joined(separator: ", ")
        self.log(
            .info,
            "version \(Build.version), identity \(PeerID(self.birth.identity.signer.publicKey)), "
                + "listening on \(places)")
        Readiness.ready(status: self.readyStatus)
    }

    /// What the service manager shows of a daemon that runs.
    var readyStatus: String {
        "listening on " + self.listening.addresses.map(\.description).joined(separator: ", ")
    }

    private func bindControlSocket() throws(StartError) -> ControlServer {
        let listener: UnixListener
        let group = try self.configuration.socketGroupNumber()
        do throws(SystemError) {
            if let socket = self.birth.activated.first(where: { $0.kind == .unixListener }) {
                listener = try UnixListener(adopting: socket.duplicate())
            } else {
                listener = try UnixListener(path: self.configuration.socket, group: group)
            }
        } catch { throw StartError(error, exitCode: .unavailable) }
        return ControlServer(
            listener, group: group, bounds: self.birth.bounds, loop: self.loop,
            buffer: self.readBuffer,
            turn: { self.turn($0) }
        ) { request, reply in
            self.handle(request, reply)
        } dirtied: { client in
            self.turn { self.dirtyClients.append(client) }
        } left: { client in
            self.turn { self.forgetSubscriptions(of: client.number) }
        } failed: { text in
            self.log(.warning, text)
        }
    }

    /// What messages may take of the disk, in bytes: a tenth of it where nothing is said, at least 256
    /// MiB and at most 10 GiB.
    var diskLimit: UInt64 {
        self.configuration.diskLimitBytes ?? max(Self.diskLimitLeast, self.tenthOfDisk)
    }

    private static let diskLimitLeast: UInt64 = 256 << 20
    private static let tenthMost: UInt64 = 10 << 30

    /// A tenth of the disk, and 10 GiB at most, in bytes.
    var tenthOfDisk: UInt64 {
        let disk = UInt64(clamping: Files.totalBytes(self.configuration.dataDirectory) ?? 0)
        return min(Self.tenthMost, disk / 10)
    }

    func openStore() async throws(StartError) -> (OpenStore, Snapshot, Cursor) {
        let owner = PeerID(self.birth.identity.signer.publicKey)
        do {
            let continuity = try self.continuityPath(owner: owner)
            // What was erased before a kill may stand in it still.
            if Files.exists(self.configuration.dataDirectory + "/stoa.db-wal") {
                self.emptyLogSoon()
            }
            let executor = try ThreadExecutor(name: "stoad-store")
            let store = try await MessageStore.open(
                directory: self.configuration.dataDirectory, continuity: continuity, owner: owner,
                executor: executor, identify: Self.identify)
            if let leftOut = await store.leftOut {
                self.log(
                    .warning,
                    "\(leftOut). It was left out; if there was no power cut, check the disk. Peers "
                        + "send again what was lost.")
            }
            try await store.limit(bytes: self.diskLimit)
            let open = OpenStore(store: store, executor: executor)
            return (open, try await store.snapshot(), try await store.newestCursor())
        } catch let failure as StoreFailure {
            throw StartError(failure)
        } catch let error as SystemError {
            throw StartError(error)
        } catch let error as StartError {
            throw error
        } catch {
            throw StartError("\(error)", remedy: "", exitCode: .software)
        }
    }

    /// Looks a configured name up until that works, and keeps a link to what it means.
    func follow(_ peer: PeerAddress) {
        self.resolve(peer) { result in
            switch result {
            case .success(let address):
                self.request(
                    .connect(address: address, expecting: peer.key, by: nil),
                    PendingRequest(reply: nil))
            case .failure(let error):
                self.log(
                    .warning,
                    "the configured peer \(peer) cannot be found: \(error.advice ?? error.cause)")
                self.after(Self.resolveAgainMilliseconds) { self.follow(peer) }
            }
        }
    }

    // MARK: Stop

    /// Stops cleanly, within a second; may be called from any thread, and again.
    package nonisolated func requestStop() {
        self.loop.post {
            self.assumeIsolated { shell in
                shell.isToRestart = false
                shell.stop()
            }
        }
    }

    /// Stops as ``requestStop()`` does, and has the process begin again.
    func restart() {
        self.isToRestart = true
        self.stop()
    }

    private func stop() {
        switch self.phase {
        case .starting: self.end()
        case .running:
            if !self.isToRestart { Readiness.stopping() }
            self.log(.info, "stopping")
            self.listening.stop()
            self.peerStreams.stopOpening()
            self.stopDiscovery()
            // What was sent is to be on disk and answered; the node goes on until it is.
            self.begin(.finishingWork, forAtMost: Self.stopMilliseconds)
            self.turn {}
        case .stopping, .stopped: break
        }
    }

    /// Takes a step of stopping, and the next one when its time is over.
    private func begin(_ step: StopStep, forAtMost milliseconds: UInt64) {
        self.phase = .stopping(step)
        self.after(milliseconds, accuracy: .milliseconds(5)) {
            guard self.phase == .stopping(step) else { return }
            switch step {
            case .finishingWork: self.sayGoodbye()
            case .goodbyes: self.close()
            case .closing: self.giveUpStore()
            }
        }
    }

    /// Takes the next step once what the present one waits for is done; called after each turn.
    func goOnStopping(_ step: StopStep) {
        switch step {
        case .finishingWork where self.tasks.isEmpty: self.sayGoodbye()
        case .goodbyes
        where !self.discovery.isRunning && self.peerStreams.isEmpty
            && (self.control?.clients.isEmpty ?? true):
            self.close()
        case .closing where self.tasks.isEmpty: self.closeStore()
        case .finishingWork, .goodbyes, .closing: break
        }
    }

    private func sayGoodbye() {
        self.begin(.goodbyes, forAtMost: Self.goodbyeMilliseconds)
        self.turn {
            for pending in self.requests.removeAll() { pending.reply?.fail(.shuttingDown()) }
            self.peerStreams.sayGoodbye()
            self.timers.disarmAll()
            self.control?.finish()
        }
    }

    private func close() {
        self.begin(.closing, forAtMost: Self.closeMilliseconds)
        self.turn {
            self.peerStreams.closeAll()
            self.control?.close()
            self.control = nil
            self.files.stop()
            self.subscriptions = [:]
            self.node = nil
        }
    }

    /// Closes the store, which nobody may be using any more.
    private func closeStore() {
        guard let open = self.store.take() else { return }
        let index = self.search.index
        Task {
            await index?.close()
            await open.store.close()
            self.end()
        }
    }

    /// Ends without closing the store, whose write-ahead log keeps all that was committed.
    private func giveUpStore() {
        self.log(.warning, "the disk is slow: the store was not closed in time")
        self.tasks.cancel()
        self.end()
    }
}

extension NodeShell {
    /// The store's proof of continuity, in a directory of its own, for this identity.
    private func continuityPath(owner: PeerID) throws(StartError) -> String {
        let directory = self.configuration.stateDirectory
        try StartError.makePrivateDirectory(directory)
        return "\(directory)/\(owner).continuity"
    }

    /// What tells the database from a copy that was put back.
    @Sendable private static func identify(_ path: String) -> StoreFileIdentity? {
        guard let found = try? FileIdentity(path: path) else { return nil }
        return StoreFileIdentity(
            inode: found.inode, birthNanoseconds: found.birthNanoseconds)
    }
}
