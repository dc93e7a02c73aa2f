import ControlAPI
import ControlClient
import Doctor
import Glibc
import Posix

/// What `stoa doctor` finds out: from the daemon by its methods, all else from the system.
struct FactGathering {
    /// A healthy daemon answers within milliseconds.
    private static let answerMilliseconds = 5_000
    /// Where systemd-logind keeps who lingers.
    private static let lingering = "/var/lib/systemd/linger"

    private let context: CommandContext
    /// How long the daemon may take for its own checks.
    private let checkMilliseconds: Int64

    init(
        _ context: CommandContext, checkMilliseconds: Int64 = DiagnoseMethod.waitMilliseconds
    ) {
        self.checkMilliseconds = checkMilliseconds
        var options = context.options
        options.timeoutMilliseconds = options.timeoutMilliseconds ?? Self.answerMilliseconds
        self.context = CommandContext(
            console: context.console, options: options, environment: context.environment)
    }

    /// All that can be found out; throws only where no socket can be named.
    func facts() throws(Failure) -> DiagnosisFacts {
        var facts = DiagnosisFacts()
        let socket = try self.context.socketPath()
        do throws(Failure) {
            try self.ask(&facts)
        } catch {
            facts.answer =
                error.code == .temporary
                ? .silent : .absent(why: error.why, remedy: error.next)
            facts.lastWords = LastWords(socket: socket).text
        }
        if self.context.options.socket == nil, self.context.environment["STOA_SOCKET"] == nil {
            facts.units = self.units()
        }
        if facts.answer == .answered { self.askMore(&facts) }
        facts.sites = DiagnosisFacts.Sites(besides: socket)
        self.lookAtSession(&facts)
        facts.lookAtNetwork()
        let paths = Paths(environment: self.context.environment, userID: ProcessEnvironment.userID)
        if let folder = facts.status?.dataDirectory ?? facts.locked?.folder
            ?? (try? paths.dataDirectory())
        {
            // Root, and who is in the group of the socket, ask a daemon whose files are not theirs.
            if Files.permissions(socket)?.isOwn != false { facts.lookAtFiles(in: folder) }
            facts.lookAtDisk(of: folder)
        }
        return facts
    }

    private func ask(_ facts: inout DiagnosisFacts) throws(Failure) {
        let status = try self.context.call(StatusMethod.self).json
        let said = StatusMethod.Result(reading: status)
        if said.lock != nil {
            facts.locked = .init(folder: said.dataDirectory)
            facts.locked?.keyring = said.keyring
        }
        guard said.lock != .locked else {
            facts.answer = .locked
            return
        }
        // It judges only what it can read as a whole.
        guard let status = StatusMethod.Result(field: status) else {
            throw Failure(.garbled("its status cannot be read"))
        }
        facts.status = status
        // What a daemon of another version says otherwise is left out.
        facts.peers = try self.all(PeersMethod.self).compactMap { PeersMethod.Peer(field: $0.json) }
        facts.dials = try self.all(DialsMethod.self).compactMap { DialsMethod.Dial(field: $0.json) }
    }

    /// What an older daemon does not know, or does not tell everybody.
    private func askMore(_ facts: inout DiagnosisFacts) {
        facts.now = Timestamp(
            milliseconds: Int64(clamping: SystemClock.wallMilliseconds()))
        var limit = Int64(self.context.options.timeoutMilliseconds ?? Self.answerMilliseconds)
        do throws(Failure) {
            let refusals = try self.all(RefusalsMethod.self)
            facts.refusals = refusals.compactMap { RefusalsMethod.Refusal(field: $0.json) }
            limit = self.checkMilliseconds
            let answer = try self.context.call(DiagnoseMethod.self, daemonMilliseconds: limit)
            facts.diagnosis = DiagnoseMethod.Result(field: answer.json)
            if facts.diagnosis == nil {
                facts.ownChecks = .unknown(why: "its report cannot be read", remedy: "")
            }
        } catch {
            facts.ownChecks = Self.ownChecks(error, within: limit)
        }
    }

    /// What it means that the daemon does not say what it finds itself.
    private static func ownChecks(
        _ failure: Failure, within milliseconds: Int64
    ) -> DiagnosisFacts.OwnChecks {
        switch (failure.code, failure.answer) {
        // As to the group of the socket.
        case (.refused, _): .done
        case (.temporary, nil): .late(milliseconds: milliseconds)
        case (_, let answer?) where answer.knownCode == .methodNotFound:
            .unknown(why: failure.why, remedy: failure.next)
        default: .failed(why: failure.why, remedy: failure.next)
        }
    }

    /// All elements of a list; none where it is refused, as some are to the group of the socket.
    private func all<Method: ControlMethod>(
        _ method: Method.Type
    ) throws(Failure) -> [Received<Method.Result.Element>]
    where Method.Params == PageParams, Method.Result: ListResult {
        var elements: [Received<Method.Result.Element>] = []
        do throws(Failure) {
            try self.context.forEach(method) { elements.append($0) }
        } catch {
            guard error.code == .refused else { throw error }
        }
        return elements
    }

    /// What the user's service manager says; nil where there is none.
    private func units() -> DiagnosisFacts.Units? {
        guard let runtime = self.context.environment["XDG_RUNTIME_DIR"],
            Files.exists(runtime + "/systemd/private")
        else { return nil }
        func says(_ words: String...) -> Bool {
            let words = ["systemctl", "--user", "--quiet"] + words
            // Only how it ends counts.
            let number = open("/dev/null", O_RDWR | O_CLOEXEC)
            guard number >= 0 else { return false }
            let nothing = FileDescriptor(owning: number)
            let child = try? ChildProcess(
                words, environment: self.context.environment,
                streams: [0: nothing.number, 1: nothing.number, 2: nothing.number])
            return child?.wait() == .exited(0)
        }
        return DiagnosisFacts.Units(
            areInstalled: says("cat", "stoad.socket"),
            isListening: says("is-active", "stoad.socket"),
            hasFailed: says("is-failed", "stoad.service"),
            startsAtLogin: says("is-enabled", "stoad.service"))
    }

    private func lookAtSession(_ facts: inout DiagnosisFacts) {
        if let user = ProcessEnvironment.userName(), Files.exists("/run/systemd/system") {
            facts.lingers = Files.exists("\(Self.lingering)/\(user)")
        }
        let environment = self.context.environment
        facts.isWithoutDesktop =
            environment["DISPLAY"] == nil && environment["WAYLAND_DISPLAY"] == nil
    }
}
