internal import Engine
internal import Loop
internal import Storage

/// One run of the daemon: opens what a node needs, then makes the ``NodeShell`` that runs until the end.
///
/// Pinned to the event loop, as the shell is. Clients and peers that come while the store is opened
/// wait in the kernel.
actor DaemonRun {
    /// How a run ends.
    enum Outcome: Equatable, Sendable {
        case stopped
        /// The daemon is to begin again in this process.
        case restart
        /// The process is to execute itself anew, and to find its safe key locked.
        case lock
        case failed(StartError)
    }

    private let loop: EventLoop
    private let log: Journal
    /// Nil once the shell has it: it alone holds the keys then, and may give one up.
    private var opening: Opening?
    /// Nil until all is open.
    private(set) var shell: NodeShell?
    private var failure: StartError?
    private var isStopped = false
    private var isReloadDue = false

    /// Prepares a run; nothing is opened before ``launch()``.
    init(_ opening: Opening) {
        (self.loop, self.log) = (opening.loop, opening.log)
        self.opening = opening
    }

    /// The event loop.
    nonisolated var unownedExecutor: UnownedSerialExecutor {
        self.loop.asUnownedSerialExecutor()
    }

    /// How it has ended; to be asked once the loop has.
    var outcome: Outcome {
        if let failure { return .failed(failure) }
        return self.shell?.assumeIsolated { $0.life.outcome } ?? .stopped
    }

    /// The control socket of a run that has ended with ``Outcome/lock``.
    var keptListener: Int32? {
        self.shell?.assumeIsolated { $0.clients.control.keptNumber } ?? nil
    }

    /// Starts on the loop, as soon as that runs.
    ///
    /// When it cannot, ``outcome`` says why and the loop is stopped.
    nonisolated func launch() {
        self.loop.post { self.assumeIsolated { $0.begin() } }
    }

    private func begin() {
        Task {
            do throws(StartError) { try await self.start() } catch {
                self.failure = error
                self.log(.error, error.description)
                self.loop.stop()
            }
        }
    }

    private func start() async throws(StartError) {
        guard let opening = self.opening else { preconditionFailure("a run starts once") }
        let realms = try opening.realms()
        // The sockets first: whoever is quick waits there instead of being told that nobody is home.
        let control = try opening.control()
        let listening = try opening.peers()
        let discovery = opening.discovery()
        let found = try await opening.store()
        // A signal may have come while the store was opened.
        guard !self.isStopped else { return await found.store.close() }
        let shell = NodeShell(
            opening, realms, found, files: try opening.files(), worker: try opening.worker(),
            control: control, listening: listening, discovery: discovery)
        self.opening = nil
        self.begin(shell, after: found)
    }

    private func begin(_ shell: NodeShell, after found: Opening.Found) {
        self.shell = shell
        shell.assumeIsolated { shell in
            shell.begin()
            if found.hasOldLog { shell.emptyLogSoon() }
        }
        if self.isReloadDue { self.reload() }
    }

    /// Stops cleanly, within a second; may be called from any thread, and again.
    nonisolated func requestStop() {
        self.loop.post { self.assumeIsolated { $0.stop() } }
    }

    private func stop() {
        guard let shell else {
            self.isStopped = true
            return self.loop.stop()
        }
        shell.assumeIsolated { $0.stop() }
    }

    /// Takes up what the files say now; may be called from any thread.
    ///
    /// All is read and checked first: where anything is wrong the log says what and where, and all
    /// stays as it was. No link, client or message is lost either way.
    nonisolated func requestReload() {
        self.loop.post { self.assumeIsolated { $0.reload() } }
    }

    private func reload() {
        self.isReloadDue = self.shell == nil
        self.shell?.assumeIsolated { $0.reload() }
    }
}
