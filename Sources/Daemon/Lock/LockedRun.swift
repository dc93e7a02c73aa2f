internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// A daemon whose safe key is locked: a control socket that takes the passphrase, and nothing else but, where the file
/// has a slot for it, the desktop's keyring.
///
/// Lives on the loop.
final class LockedRun {
    private let configuration: Configuration
    private let locked: LockedSafe
    private let log: Journal
    private let loop: EventLoop
    private let control: ControlServer
    private let moment = SystemClock.wallMilliseconds()
    /// Tries a passphrase; nil while none is tried.
    private var worker: Worker?
    private var asking: KeyringAsking
    /// Asks the desktop's keyring; nil while it is not asked.
    private var keyringWorker: Worker?
    private var keyringTimer: LoopTimer?
    /// Calls that wait for the keyring.
    private var keyringReplies: [Reply] = []
    private var dirty: [ControlConnection] = []
    private var turns = 0
    private var isEnding = false
    /// Whether the process was told to end, also where a passphrase has opened it meanwhile.
    private(set) var isStopped = false
    private var deadline: LoopTimer?
    /// The safe once it is open; nil where the run was stopped.
    private(set) var safe: Safe?

    /// How long clients may take to read their answers at the end.
    private static let goodbyeMilliseconds: UInt64 = 400

    /// - Parameter wasLocked: whether the node was locked since the daemon was started.
    init(
        _ locked: LockedSafe, wasLocked: Bool, _ configuration: Configuration, _ log: Journal,
        _ loop: EventLoop, _ control: ControlServer
    ) {
        self.asking = KeyringAsking(hasSlot: locked.keyring != nil, wasLocked: wasLocked)
        self.configuration = configuration
        self.locked = locked
        self.log = log
        self.loop = loop
        self.control = control
    }

    /// Takes clients.
    func begin() throws(SystemError) {
        self.deadline = try self.loop.makeTimer { [weak self] in self?.end() }
        if self.asking.isAsking {
            self.keyringTimer = try self.loop.makeTimer { [weak self] in self?.askAgain() }
        }
        try self.control.begin(
            ControlServer.Owner(
                turn: { [weak self] in self?.turn($0) },
                handler: { [weak self] in self?.handle($0, $1) },
                dirtied: { [weak self] client in self?.turn { self?.dirty.append(client) } },
                left: { [weak self] _ in self?.left() },
                failed: { [log] in log(.warning, $0) }))
        _ = try self.loop.enableWatchdog()
        self.log(.notice, "locked by a passphrase: stoa unlock")
        LastWords(socket: self.configuration.socket).forget()
        Readiness.ready(status: "locked: stoa unlock")
        if self.asking.isAsking { self.askKeyring() }
    }

    /// The control socket, for the run that follows.
    var keptListener: Int32? { self.control.keptNumber }

    /// Ends it for good.
    func stopForGood() {
        self.isStopped = true
        self.stop()
    }

    /// Ends it; who connects from here on waits for the next run, if it is open then.
    func stop() {
        guard !self.isEnding else { return }
        self.isEnding = true
        self.turn { self.control.finish(isKept: self.safe != nil) }
        self.deadline?.set(afterMilliseconds: Self.goodbyeMilliseconds)
        self.left()
    }

    private func left() {
        if self.isEnding, self.control.clients.isEmpty { self.end() }
    }

    private func end() {
        self.deadline?.cancel()
        self.keyringTimer?.cancel()
        (self.deadline, self.keyringTimer) = (nil, nil)
        self.control.close()
        self.loop.stop()
    }

    /// Flushes once what was written within it is complete.
    private func turn(_ body: () -> Void) {
        self.turns += 1
        body()
        self.turns -= 1
        guard self.turns == 0 else { return }
        while !self.dirty.isEmpty { self.dirty.removeFirst().flush() }
    }

    private func handle(_ request: RPCRequest, _ reply: Reply) {
        guard !self.isEnding else { return reply.fail(.shuttingDown()) }
        switch request.method {
        case StatusMethod.description.name: reply.answer(self.status)
        case LockMethod.description.name where reply.asker?.access == .owner:
            reply.answer(EmptyValue())
        case UnlockMethod.description.name where reply.asker?.access == .owner:
            do throws(RPCError) { try self.unlock(request.params, reply) } catch {
                reply.fail(error)
            }
        default: reply.fail(.locked())
        }
    }

    private var status: StatusMethod.Result {
        StatusMethod.Result {
            $0.version = Build.version
            $0.replaced = ProgramStart.isReplaced
            $0.dataDirectory = self.configuration.dataDirectory
            $0.startedAt = Timestamp(clamping: self.moment)
            $0.lock = .locked
            $0.keyring = self.asking.status
        }
    }

    private func unlock(_ params: RPCParams, _ reply: Reply) throws(RPCError) {
        guard let passphrase = try UnlockMethod.read(params).passphrase else {
            try self.asking.begin()
            self.keyringReplies.append(reply)
            return self.askKeyring()
        }
        let phrase = try Phrase(ofLock: passphrase)
        guard self.worker == nil else { throw .busy("another passphrase is being tried") }
        let worker: Worker
        do throws(SystemError) {
            worker = try Worker(name: "stoad-phrase", loop: self.loop, capacity: 1)
        } catch { throw .internalError("no thread can be started: \(error.reason)") }
        self.worker = worker
        let locked = self.locked
        worker.run { () -> Result<Safe, RPCError> in
            do throws(RPCError) { return .success(try locked.opened(by: phrase)) } catch {
                return .failure(error)
            }
        } then: { result in
            self.turn {
                self.worker = nil
                switch result {
                case .success(let safe): self.open(safe, by: "its passphrase", [reply])
                case .failure(let error): reply.fail(error)
                }
            }
        }
    }

    private func open(_ safe: Safe, by what: String, _ replies: [Reply]) {
        guard !self.isEnding || self.safe != nil else {
            return replies.forEach { $0.fail(.shuttingDown()) }
        }
        for reply in replies { reply.answer(EmptyValue()) }
        guard self.safe == nil else { return }
        self.safe = safe
        self.log(.notice, "unlocked by \(what)")
        self.stop()
    }
}

/// The desktop's keyring, which is asked on a thread of its own: no passphrase waits for it.
extension LockedRun {
    private func askAgain() {
        guard !self.isEnding, (try? self.asking.begin()) != nil else { return }
        self.askKeyring()
    }

    private func askKeyring() {
        guard self.keyringWorker == nil, let slot = self.locked.keyring else { return }
        let worker: Worker
        do throws(SystemError) {
            worker = try Worker(name: "stoad-keyring", loop: self.loop, capacity: 1)
        } catch { return self.keyringRefused(.failed(error.reason)) }
        self.keyringWorker = worker
        worker.run { () -> Result<Safe, KeyringRefusal> in
            do throws(KeyringRefusal) { return .success(try DesktopKeyring.open(slot)) } catch {
                return .failure(error)
            }
        } then: { [weak self] result in
            self?.turn { self?.keyringSays(result) }
        }
    }

    private func keyringSays(_ result: Result<Safe, KeyringRefusal>) {
        self.keyringWorker = nil
        switch result {
        case .success(let safe):
            let replies = self.keyringReplies
            self.keyringReplies = []
            self.open(safe, by: "the desktop's keyring", replies)
        case .failure(let refusal): self.keyringRefused(refusal)
        }
    }

    private func keyringRefused(_ refusal: KeyringRefusal) {
        if self.asking.end(refusal) {
            self.log(.warning, "not unlocked: \(refusal.text); \(refusal.remedy)")
        }
        for reply in self.keyringReplies { reply.fail(refusal.error) }
        self.keyringReplies = []
        if !self.isEnding, let pause = self.asking.pause() {
            self.keyringTimer?.set(afterMilliseconds: pause)
        }
    }
}
