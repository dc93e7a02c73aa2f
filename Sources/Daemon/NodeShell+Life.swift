internal import ControlAPI
internal import Engine
internal import Formats
internal import Loop
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

    /// Has the node start, and takes peers and clients.
    func begin() {
        self.warnOfUnknownRealm()
        self.peerStreams.open(
            as: SessionIdentity(
                signer: self.birth.identity.signer, certificate: self.birth.identity.certificate,
                boot: self.birth.boot, listenPort: self.network.listening.addresses.first?.port,
                realms: self.nodeRealms.secrets(at: self.now.wall),
                features: self.network.discovery.isRunning ? .ownAnnounced : .own))
        do throws(SystemError) { try self.listen() } catch { return self.fail(StartError(error)) }
        // Without a descriptor to spare the clock is read with the next thing that happens.
        try? self.timers.followClock()
        self.turn {
            self.happened(.started)
            self.tellReach()
            if self.birth.isOnlyReading {
                let failure = StoreFailure(
                    readOnly: "\(self.configuration.dataDirectory)/stoa.db")
                self.happened(.unwritable("\(failure.detail); \(failure.remedy)"))
            }
            self.takeUpRestored()
        }
        if !self.birth.isOnlyReading {
            for peer in self.configuration.peers where peer.numeric == nil { self.follow(peer) }
        }
        self.startMetrics()
        do throws(SystemError) {
            try self.takeClients()
            _ = try self.loop.enableWatchdog()
        } catch { return self.fail(StartError(error)) }
        self.startDiscovery()
        self.startScrub()
        self.startSearch()
        self.startFiles()
        self.turn { self.expireOld() }
        // A kill may have come between a lock and this.
        if self.lockWord != nil { self.removeRepairedCopies() }
        self.beginIdleTime()
        self.followSleep()
        self.log(
            .info,
            "version \(Build.version), identity \(self.node.id), \(self.readyStatus)")
        LastWords(socket: self.configuration.socket).forget()
        Readiness.ready(status: self.readyStatus)
    }

    private func takeClients() throws(SystemError) {
        try self.clients.control.begin(
            ControlServer.Owner(
                turn: { self.turn($0) }, handler: { self.handle($0, $1) },
                dirtied: { client in self.turn { self.clients.dirtied(client) } },
                left: { client in self.turn { self.forgetSubscriptions(of: client.number) } },
                failed: { self.log(.warning, $0) }))
    }

    /// What the service manager shows of a daemon that runs.
    var readyStatus: String {
        guard !self.birth.isOnlyReading else { return "reading only: the disk is read-only" }
        return "listening on "
            + self.network.listening.addresses.map(\.description).joined(separator: ", ")
    }

    /// Looks a configured name up until that works, and keeps a link to what it means.
    func follow(_ peer: PeerAddress) {
        self.resolve(peer) { result in
            switch result {
            case .success(let address):
                self.request(
                    .connect(address: address, expecting: peer.key, by: nil))
            case .failure(let error):
                self.log(
                    .warning,
                    "the configured peer \(peer) cannot be found: \(error.advice ?? error.cause)")
                self.after(Self.resolveAgainMilliseconds) { self.follow(peer) }
            }
        }
    }

    // MARK: Stop

    /// Stops cleanly, within a second, and then has the process begin again or not.
    func stop(then next: DaemonRun.Outcome = .stopped) {
        guard self.life.stop(then: next) else { return }
        if next == .stopped { Readiness.stopping() }
        self.log(.info, "stopping")
        self.network.listening.stop()
        self.peerStreams.stopOpening()
        self.stopDiscovery()
        // What was sent is to be on disk and answered; the node goes on until it is.
        self.begin(.finishingWork, forAtMost: Self.stopMilliseconds)
        self.turn {}
    }

    /// Takes a step of stopping, and the next one when its time is over.
    private func begin(_ step: Life.Step, forAtMost milliseconds: UInt64) {
        self.life.begin(step)
        self.after(milliseconds, accuracy: .milliseconds(5)) {
            guard self.life.phase == .stopping(step) else { return }
            switch step {
            case .finishingWork: self.sayGoodbye()
            case .goodbyes: self.close()
            case .closing: self.giveUpStore()
            }
        }
    }

    /// Takes the next step once what the present one waits for is done; called after each turn.
    func goOnStopping(_ step: Life.Step) {
        switch step {
        case .finishingWork where self.disk.tasks.isEmpty: self.sayGoodbye()
        case .goodbyes
        where !self.network.discovery.isRunning && self.peerStreams.isEmpty
            && self.clients.control.clients.isEmpty:
            self.close()
        case .closing where self.disk.tasks.isEmpty: self.closeStore()
        case .finishingWork, .goodbyes, .closing: break
        }
    }

    private func sayGoodbye() {
        self.begin(.goodbyes, forAtMost: Self.goodbyeMilliseconds)
        self.turn {
            for pending in self.clients.requests.removeAll() {
                pending.reply?.fail(.shuttingDown())
            }
            self.peerStreams.sayGoodbye()
            self.timers.disarmAll()
            self.clients.control.finish(isKept: self.life.outcome == .lock)
        }
    }

    private func close() {
        self.begin(.closing, forAtMost: Self.closeMilliseconds)
        self.turn {
            self.peerStreams.closeAll()
            self.clients.control.close()
            self.files.stop()
            self.clients.removeSubscriptions()
        }
    }

    /// Closes the store, which nobody may be using any more.
    private func closeStore() {
        guard let store = self.disk.takeToClose() else { return }
        let index = self.search.index
        Task {
            await index?.close()
            await store.close()
            self.end()
        }
    }

    /// Ends without closing the store, whose write-ahead log keeps all that was committed.
    private func giveUpStore() {
        self.log(.warning, "the disk is slow: the store was not closed in time")
        self.disk.tasks.cancel()
        self.end()
    }

    /// Ends the process because of a failure that nothing can be done about here.
    func fail(_ error: StartError) {
        self.life.fail(error)
        self.log(.error, error.description)
        self.end()
    }

    /// Ends the loop, and with it the process.
    private func end() {
        self.life.end()
        self.loop.stop()
    }
}
