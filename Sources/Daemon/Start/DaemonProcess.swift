internal import ControlAPI
internal import Crypto
internal import Engine
internal import Formats
internal import Glibc
internal import Loop
internal import Posix

/// The process: everything between the arguments and the exit code.
package enum DaemonProcess {
    /// Does what the command says and returns the exit code, which is one of sysexits.h.
    ///
    /// Call it once, on the main thread and before any other thread is started. Prints to standard
    /// output what was asked for and logs to standard error.
    ///
    /// - Parameter rereading: reads the same arguments and the files anew, from any thread.
    package static func run(
        _ command: DaemonCommand,
        rereading: @escaping @Sendable (String?) throws(ConfigurationError) -> DaemonCommand
    ) -> Int32 {
        switch command {
        case .help:
            Self.print(DaemonCommand.helpText)
            return 0
        case .version:
            Self.print("stoad \(Build.version)\n")
            return 0
        case .check(let configuration), .repair(let configuration), .run(let configuration),
            .checkConfiguration(let configuration, _):
            let log = Journal(
                threshold: configuration.logLevel,
                isJournal: ProcessEnvironment.variable("JOURNAL_STREAM") != nil)
            do throws(StartError) {
                switch command {
                case .check: return try OfflineMaintenance(configuration, print: Self.print).check()
                case .repair:
                    return try OfflineMaintenance(configuration, print: Self.print).repair()
                case .checkConfiguration(_, let report):
                    for line in report { Self.print(TerminalText.line(line) + "\n") }
                    return Self.tell(configuration.findings(), log)
                case .run, .help, .version:
                    return try Self.serve(configuration, log, rereading)
                }
            } catch {
                log(.error, error.description)
                if case .run = command {
                    LastWords(socket: configuration.socket).keep(error.description)
                }
                return error.exitCode.rawValue
            }
        }
    }

    /// Says what is wrong with a configuration that could be read, and returns the exit code.
    private static func tell(_ findings: [Finding], _ log: Journal) -> Int32 {
        let problems = findings.filter { $0.severity == .problem }
        for finding in findings {
            log(
                finding.severity == .problem ? .error : .warning,
                "\(finding.text); \(finding.remedy)")
        }
        guard problems.isEmpty else { return StartError.ExitCode.configuration.rawValue }
        Self.print(
            findings.isEmpty
                ? "the configuration is valid\n" : "the configuration can be applied\n")
        return 0
    }

    /// Says what is wrong with the arguments or the file, and returns the exit code.
    package static func refuse(_ error: ConfigurationError) -> Int32 {
        if let socket = try? Paths().controlSocket() {
            LastWords(socket: socket).keep(error.description)
        }
        Journal(threshold: .error, isJournal: ProcessEnvironment.variable("JOURNAL_STREAM") != nil)(
            .error, error.description)
        return error.exitCode
    }

    private static func serve(
        _ configuration: Configuration, _ log: Journal, _ rereading: @escaping Birth.Rereading
    ) throws(StartError) -> Int32 {
        for line in configuration.overruled { log(.warning, line) }
        ProcessEnvironment.ignoreBrokenPipes()
        ProcessEnvironment.useOneHeap()
        let activated: [ActivatedSocket]
        do throws(SystemError) {
            activated = try ActivatedSocket.takeAll()
        } catch { throw StartError(error, exitCode: .cannotCreate) }
        try StartError.makePrivateDirectory(configuration.dataDirectory)
        // Nobody writes there, so any number may read.
        let isOnlyReading =
            Files.isOnReadOnlySystem(configuration.dataDirectory)
            && Files.exists("\(configuration.dataDirectory)/stoa.db")
        let lock = isOnlyReading ? nil : try DataLock(directory: configuration.dataDirectory)
        defer { withExtendedLifetime(lock) {} }
        // Once it is open it stays so, also where a restored backup takes another start in this process.
        var safe: Safe?
        while true {
            let code = try Self.live(
                configuration, log, activated, isOnlyReading: isOnlyReading, &safe, rereading)
            if let code { return code }
        }
    }

    /// Runs one start to its end and gives the exit code; nil where another start is to follow.
    private static func live(
        _ configuration: Configuration, _ log: Journal, _ activated: [ActivatedSocket],
        isOnlyReading: Bool, _ kept: inout Safe?, _ rereading: @escaping Birth.Rereading
    ) throws(StartError) -> Int32? {
        var activated = activated
        var lockedRun: LockedRun?
        defer { withExtendedLifetime(lockedRun) {} }
        if kept == nil {
            // Whoever has locked it a moment ago wants it to stay so.
            let wasLocked = ProcessEnvironment.take(Self.lockedVariable) != nil
            switch try Self.stored(configuration, isOnlyReading, wasLocked: wasLocked, log) {
            case .open(let safe): kept = safe
            case .locked(let locked):
                let run = try Self.wait(
                    locked, wasLocked: wasLocked, configuration, log, activated)
                guard let safe = run.safe, !run.isStopped else { return 0 }
                // The same socket goes on listening, so that nobody is refused in between.
                if let number = run.keptListener {
                    activated.removeAll { $0.kind == .unixListener }
                    activated.append(ActivatedSocket(keeping: number))
                }
                (kept, lockedRun) = (safe, run)
            }
        }
        guard let safe = kept else { preconditionFailure("it is open, or the run has ended") }
        return try Self.run(
            configuration, log, activated, isOnlyReading: isOnlyReading, safe, rereading)
    }

    /// What the file of the safe key has, opened where systemd hands the passphrase over.
    private static func stored(
        _ configuration: Configuration, _ isOnlyReading: Bool, wasLocked: Bool, _ log: Journal
    ) throws(StartError) -> StoredSafe {
        let file = SafeFile(in: configuration.dataDirectory)
        let stored = try isOnlyReading ? file.stored() ?? .open(.generate()) : file.begin()
        guard case .locked(let locked) = stored else { return stored }
        ProcessEnvironment.forbidDumps()
        guard !wasLocked else { return stored }
        do throws(StartError) {
            let folder = ProcessEnvironment.variable("CREDENTIALS_DIRECTORY")
            return try locked.opened(byCredentialIn: folder).map { .open($0) } ?? stored
        } catch {
            log(.error, error.description)
            return stored
        }
    }

    /// Says to the next start that it was locked on purpose.
    private static let lockedVariable = "STOAD_LOCKED"

    /// Waits for the passphrase or the desktop's keyring, or the end.
    private static func wait(
        _ locked: LockedSafe, wasLocked: Bool, _ configuration: Configuration, _ log: Journal,
        _ activated: [ActivatedSocket]
    ) throws(StartError) -> LockedRun {
        let loop: EventLoop
        do throws(SystemError) { loop = try EventLoop() } catch { throw StartError(error) }
        let control = try Opening.control(configuration, activated, ControlBounds(), loop)
        let run = LockedRun(
            locked, wasLocked: wasLocked, configuration, log, loop, control)
        do throws(SystemError) {
            let watches = [
                try loop.onSignal(SIGTERM) { run.stopForGood() },
                try loop.onSignal(SIGINT) { run.stopForGood() },
                // What the files say is read once it is open.
                try loop.onSignal(SIGHUP) {},
            ]
            try run.begin()
            try loop.run()
            for watch in watches { watch.cancel() }
            return run
        } catch { throw StartError(error) }
    }

    private static func run(
        _ configuration: Configuration, _ log: Journal, _ activated: [ActivatedSocket],
        isOnlyReading: Bool, _ safe: Safe, _ rereading: @escaping Birth.Rereading
    ) throws(StartError) -> Int32? {
        let loop: EventLoop
        do throws(SystemError) { loop = try EventLoop() } catch { throw StartError(error) }
        let run = try Self.makeRun(
            configuration, log, activated, isOnlyReading: isOnlyReading, safe, rereading, on: loop)
        do throws(SystemError) {
            // Before any thread starts, so that none of them takes a signal.
            let watches = [
                try loop.onSignal(SIGTERM) { run.requestStop() },
                try loop.onSignal(SIGINT) { run.requestStop() },
                try loop.onSignal(SIGHUP) { run.requestReload() },
            ]
            run.launch()
            try loop.run()
            for watch in watches { watch.cancel() }
            switch run.assumeIsolated({ $0.outcome }) {
            case .stopped: return 0
            case .restart: return nil
            case .lock:
                throw Self.becomeLocked(activated, run.assumeIsolated { $0.keptListener })
            case .failed(let failure):
                LastWords(socket: configuration.socket).keep(failure.description)
                return failure.exitCode.rawValue
            }
        } catch { throw StartError(error) }
    }

    /// Takes up what is pending, and loads the identity; no key outlives this but in what it returns.
    private static func makeRun(
        _ configuration: Configuration, _ log: Journal, _ activated: [ActivatedSocket],
        isOnlyReading: Bool, _ safe: Safe, _ rereading: @escaping Birth.Rereading,
        on loop: EventLoop
    ) throws(StartError) -> DaemonRun {
        let restored =
            isOnlyReading
            ? nil : try PendingRestore(in: configuration.dataDirectory, safe).begin()
        let identity = try Identity.load(
            dataDirectory: configuration.dataDirectory,
            credentialsDirectory: ProcessEnvironment.variable("CREDENTIALS_DIRECTORY"), safe: safe)
        if identity.isNew {
            log(.notice, "created a new identity in \(configuration.dataDirectory)")
        }
        var birth = Birth(identity, safe)
        (birth.restored, birth.activated) = (restored, activated)
        birth.rereading = rereading
        birth.settingsFile = try? Paths().configurationFile()
        birth.isOnlyReading = isOnlyReading
        return DaemonRun(
            Opening(configuration: configuration, birth: birth, log: log, loop: loop))
    }

    /// Runs this program anew: no key and no text is left in memory, which wiping could not promise.
    private static func becomeLocked(
        _ activated: [ActivatedSocket], _ control: Int32?
    ) -> SystemError {
        var sockets = activated.filter { $0.kind != .unixListener }
        if let control { sockets.insert(ActivatedSocket(keeping: control), at: 0) }
        ProcessEnvironment.set(Self.lockedVariable, "1")
        return ActivatedSocket.becomeAnew(with: sockets)
    }

    private static func print(_ text: String) {
        let bytes = Array(text.utf8)
        var written = 0
        while written < bytes.count {
            let output = FileDescriptor(owning: 1)
            let result = output.write(bytes.span.bytes.extracting(written..<bytes.count))
            _ = output.release()
            guard case .bytes(let count) = result, count > 0 else { return }
            written += count
        }
    }
}
