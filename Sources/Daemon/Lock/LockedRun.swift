internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats
internal import Loop
internal import Posix

/// A daemon whose safe key is locked: a control socket that takes the passphrase, and nothing else.
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

    init(
        _ locked: LockedSafe, _ configuration: Configuration, _ log: Journal, _ loop: EventLoop,
        _ control: ControlServer
    ) {
        self.configuration = configuration
        self.locked = locked
        self.log = log
        self.loop = loop
        self.control = control
    }

    /// Takes clients.
    func begin() throws(SystemError) {
        self.deadline = try self.loop.makeTimer { [weak self] in self?.end() }
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
        self.deadline = nil
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
        }
    }

    private func unlock(_ params: RPCParams, _ reply: Reply) throws(RPCError) {
        let phrase = try Phrase(ofLock: try UnlockMethod.read(params).passphrase)
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
                guard !self.isEnding else { return reply.fail(.shuttingDown()) }
                switch result {
                case .success(let safe):
                    self.safe = safe
                    reply.answer(EmptyValue())
                    self.log(.notice, "unlocked")
                    self.stop()
                case .failure(let error): reply.fail(error)
                }
            }
        }
    }
}
