internal import ControlAPI
internal import Discovery
internal import Engine
internal import Formats
internal import Posix
internal import Storage

extension StatusMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        shell.lookAtStatus { reply.answer($0) }
    }
}

extension NodeShell {
    /// Asks the store and the node how they are.
    func lookAtStatus(then done: @escaping (StatusMethod.Result) -> Void) {
        let reached = self.node.ask { $0.reached }
        self.ask { (store) async throws(StoreFailure) in
            (counts: try await store.counts(), waiting: try await store.waiting(behind: reached))
        } then: { result in
            var status = StatusMethod.Result()
            switch result {
            case .success(let (counts, waiting)):
                status.messages = Int64(counts.entries)
                status.waiting = self.described(waiting)
            case .failure(let failure):
                // A broken disk is when people look at the status, so it is shown all the same.
                self.log(.error, failure.detail)
            }
            self.describe(self.node.status(at: self.now), in: &status)
            done(status)
        }
    }
}

extension NodeShell {
    /// Nil where nothing waits.
    private func described(_ waiting: WaitingMessages) -> StatusMethod.Waiting? {
        guard let since = waiting.since else { return nil }
        let recipients = self.node.ask { $0.recipients(of: waiting.logs.sorted()) }
        return StatusMethod.Waiting {
            $0.messages = Int64(waiting.messages)
            $0.estimated = waiting.isEstimate ? true : nil
            $0.conversations = Int64(Set(waiting.logs.map(\.conversation)).count)
            $0.since = Timestamp(clamping: since.milliseconds)
            $0.recipients = Int64(recipients.count)
            $0.members = self.shownMembers(
                Array(recipients.prefix(StatusMethod.Waiting.listedMembers)))
        }
    }

    fileprivate func describe(_ status: NodeStatus, in result: inout StatusMethod.Result) {
        result.version = Build.version
        result.lock = self.lockWord
        result.keyring = self.keyringStatus
        result.replaced = ProgramStart.isReplaced
        result.id = status.id.description
        result.person = status.person.description
        result.name = status.name
        result.dataDirectory = self.configuration.dataDirectory
        result.startedAt = Timestamp(clamping: self.birth.moment)
        result.listen = self.dialableAddresses()
        result.discovery.mode = self.configuration.discovery.rawValue
        result.discovery.backend = self.network.discovery.backend
        result.discovery.state = self.network.discovery.state
        result.links = Int64(status.links)
        result.conversations = Int64(status.conversations)
        result.requests = Int64(status.requests)
        result.requestsTurnedAway = Int64(status.requestsTurnedAway)
        result.held = Int64(status.held)
        result.incomplete = self.incompleteConversations()
        result.incarnation = Self.hexadecimal(status.incarnation)
        result.clockOffsetMilliseconds = status.clockOffsetMilliseconds
        result.clockSynchronised = SystemClock.isSynchronised()
        result.scrub = self.scrubStatus
        result.alerts = status.alerts.map { alert in
            StatusMethod.Alert {
                $0.code = alert.code.rawValue
                $0.text = alert.text
                $0.since = Timestamp(clamping: alert.since)
            }
        }
    }

    /// All 64 bits, which a JSON number does not carry safely.
    static func hexadecimal(_ number: UInt64) -> String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }

    /// What peers can dial: a wildcard is shown as the addresses of the interfaces.
    private func dialableAddresses() -> [String] {
        var found: [SocketAddress] = []
        for address in self.network.listening.addresses {
            guard address.ip.isWildcard else {
                found.append(address)
                continue
            }
            let all = ((try? NetworkInterface.all()) ?? []).filter(\.isUp)
            let real = all.filter { !$0.isLoopback }.flatMap(\.addresses)
            let candidates = real.isEmpty ? all.flatMap(\.addresses) : real
            for ip in candidates.sorted() where address.ip.isIPv6 || !ip.isIPv6 {
                found.append(SocketAddress(ip: ip, port: address.port))
            }
        }
        return found.map(\.description)
    }
}
