internal import ControlAPI
internal import Engine
internal import Loop
internal import Crypto
internal import Posix
internal import Storage

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
    public nonisolated func launch() {
        self.launch { shell throws(StartError) in try await shell.start() }
    }

    nonisolated func launch(
        _ body: @escaping @Sendable (isolated NodeShell) async throws(StartError) -> Void
    ) {
        self.loop.post {
            self.assumeIsolated { shell in
                let number = shell.nextTask
                shell.nextTask += 1
                shell.tasks[number] = Task {
                    do throws(StartError) {
                        try await body(shell)
                    } catch { shell.fail(error) }
                    shell.tasks[number] = nil
                }
            }
        }
    }

    private func start() async throws(StartError) {
        // The socket first: whoever is quick waits there instead of being told that nobody is home.
        let control = try self.bindControlSocket()
        try self.listen()
        self.makeDiscovery()
        let (store, snapshot, newest) = try await self.openStore()
        // A signal may have come while the store was opened.
        guard self.phase == .starting else {
            await store.close()
            return
        }
        self.store = store
        self.newestShown = newest
        do throws(SystemError) {
            self.worker = try Worker(name: "stoad-worker", loop: self.loop)
        } catch { throw StartError(error) }
        let numeric = self.configuration.peers.compactMap { peer in
            peer.numeric.map { StaticPeer(address: $0, key: peer.key) }
        }
        self.node = Node(
            signer: self.signer, boot: self.boot,
            configuration: NodeConfiguration(
                name: self.configuration.name, staticPeers: numeric,
                buildTime: Build.timeMilliseconds),
            snapshot: snapshot, random: SodiumRandom())
        self.phase = .running
        self.turn { self.happened(.started) }
        for peer in self.configuration.peers where peer.numeric == nil { self.follow(peer) }
        do throws(SystemError) {
            try control.begin()
            _ = try self.loop.enableWatchdog()
        } catch { throw StartError(error) }
        self.control = control
        self.startDiscovery()
        self.startScrub()
        let addresses = self.listener?.addresses.map(\.description) ?? []
        self.log(
            .info,
            "version \(Build.version), identity \(PeerID(self.signer.publicKey)), listening on "
                + addresses.joined(separator: ", "))
        // Relocations and all that a start does once are half of what the process has touched.
        ProcessEnvironment.releaseCode()
        Readiness.ready(status: "listening on \(addresses.joined(separator: ", "))")
    }

    private func bindControlSocket() throws(StartError) -> ControlServer {
        let listener: UnixListener
        do throws(SystemError) {
            if let socket = self.activated.first(where: { $0.kind == .unixListener }) {
                listener = try UnixListener(adopting: socket.adopt())
            } else {
                listener = try UnixListener(path: self.configuration.socket)
            }
        } catch { throw StartError(error, exitCode: .unavailable) }
        return ControlServer(
            listener, bounds: self.controlBounds, loop: self.loop, buffer: self.readBuffer,
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

    func openStore() async throws(StartError) -> (MessageStore, Snapshot, Cursor) {
        let owner = PeerID(self.signer.publicKey)
        do {
            let witness = try self.continuityPath(owner: owner)
            let executor = try ThreadExecutor(name: "stoad-store")
            self.storeExecutor = executor
            let store = try await MessageStore.open(
                directory: self.configuration.dataDirectory, witness: witness, owner: owner,
                executor: executor, identify: Self.identify)
            for damage in await store.mended {
                self.log(
                    .warning,
                    "\(damage). It was turned back, and nothing is lost. A power cut may leave that; "
                        + "if there was none, look after the disk.")
            }
            return (store, try await store.snapshot(), try await store.newestCursor())
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
    private func follow(_ peer: PeerAddress) {
        self.resolve(peer) { result in
            switch result {
            case .success(let address):
                self.request(.connect(address: address, expecting: peer.key), .silent)
            case .failure(let error):
                self.log(.warning, "the configured peer \(peer) cannot be found: \(error)")
                self.after(Self.resolveAgainMilliseconds) { self.follow(peer) }
            }
        }
    }

    /// Does something later, once.
    func after(
        _ milliseconds: UInt64, accuracy: LoopTimer.Accuracy = .coarse,
        _ body: @escaping () -> Void
    ) {
        let number = self.nextTask
        self.nextTask += 1
        do throws(SystemError) {
            let timer = try self.loop.makeTimer {
                self.delays[number] = nil
                self.turn(body)
            }
            timer.set(afterMilliseconds: milliseconds, accuracy: accuracy)
            self.delays[number] = timer
        } catch { self.fail(StartError(error)) }
    }

    // MARK: Stop

    /// Stops cleanly, within a second; may be called from any thread, and again.
    public nonisolated func requestStop() {
        self.loop.post { self.assumeIsolated { $0.stop() } }
    }

    private func stop() {
        switch self.phase {
        case .starting:
            self.phase = .stopped
            self.loop.stop()
        case .running:
            self.phase = .stopping
            Readiness.stopping()
            self.log(.info, "stopping")
            self.listener?.close()
            self.listener = nil
            self.stopDiscovery { self.isGoodbyeOut = true }
            for dial in self.dials.keys.sorted() { self.dials.removeValue(forKey: dial)?.close() }
            // What was sent is to be on disk and answered; the node goes on until it is.
            self.stopStep = .finishingWork
            self.stopAtLatest(after: Self.stopMilliseconds)
            self.goOnStopping()
        case .stopping, .stopped: break
        }
    }

    /// Takes the next step once what the present one waits for is done; called after each turn.
    func goOnStopping() {
        switch self.stopStep {
        case .finishingWork where self.commitsUnderWay == 0 && self.tasks.isEmpty:
            self.sayGoodbye()
        case .goodbyes
        where self.isGoodbyeOut && self.streams.isEmpty
            && (self.control?.clients.isEmpty ?? true):
            self.close()
        case .closing where self.tasks.isEmpty: self.closeStore()
        case .finishingWork, .goodbyes, .closing: break
        }
    }

    /// Does not wait for the present step beyond a time.
    private func stopAtLatest(after milliseconds: UInt64) {
        let step = self.stopStep
        self.after(milliseconds, accuracy: .milliseconds(5)) {
            guard self.phase == .stopping, self.stopStep == step else { return }
            switch step {
            case .finishingWork: self.sayGoodbye()
            case .goodbyes: self.close()
            case .closing: self.giveUpStore()
            }
        }
    }

    private func sayGoodbye() {
        self.stopStep = .goodbyes
        self.stopAtLatest(after: Self.goodbyeMilliseconds)
        self.turn {
            for id in self.requests.keys.sorted() {
                self.requests.removeValue(forKey: id)?.reply?.fail(.shuttingDown())
            }
            for link in self.links.keys.sorted() {
                self.links.removeValue(forKey: link)?.close(.shutdown, "the daemon stops")
            }
            for timer in self.timers.values { timer.cancel() }
            self.timers = [:]
            self.control?.finish()
        }
    }

    private func close() {
        self.stopStep = .closing
        self.stopAtLatest(after: Self.closeMilliseconds)
        self.turn {
            for number in self.streams.keys { self.streams[number]?.close() }
            self.control?.close()
            self.control = nil
            self.subscriptions = [:]
            self.node = nil
        }
    }

    /// Closes the store, which nobody may be using any more.
    private func closeStore() {
        guard let store = self.store.take() else { return }
        self.storeExecutor = nil
        self.closing = Task {
            await store.close()
            self.ended()
        }
    }

    /// Ends without closing the store, whose write-ahead log keeps all that was committed.
    private func giveUpStore() {
        self.log(.warning, "the disk is slow: the store was not closed in time")
        for number in self.tasks.keys.sorted() { self.tasks[number]?.cancel() }
        self.ended()
    }
}

extension NodeShell {
    /// The store's proof of continuity, in a directory of its own, for this identity.
    private func continuityPath(owner: PeerID) throws(StartError) -> String {
        let directory = self.configuration.stateDirectory
        do throws(SystemError) {
            try Files.makePrivateDirectory(directory)
        } catch { throw StartError(error, exitCode: .cannotCreate) }
        return "\(directory)/\(owner).witness"
    }

    /// What tells the database from a copy that was put back.
    @Sendable private static func identify(_ path: String) -> Storage.FileIdentity? {
        guard let found = try? Posix.FileIdentity(path: path) else { return nil }
        return Storage.FileIdentity(
            inode: found.inode, birthNanoseconds: found.birthNanoseconds)
    }
}
