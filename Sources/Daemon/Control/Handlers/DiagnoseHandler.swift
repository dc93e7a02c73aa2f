internal import ControlAPI
internal import Doctor
internal import Engine
internal import Formats
internal import Loop
internal import Posix
internal import Storage

extension DiagnoseMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        shell.lookWhoReaches(
            PendingRequest(
                reply, then: .reached { shell.answerDiagnosis($0, $1, reply) }))
    }
}

extension NodeShell {
    /// Has peers that are not on this machine dial the own port, then tries links to them.
    fileprivate func lookWhoReaches(_ pending: PendingRequest) {
        let port = self.network.listening.addresses.first?.port ?? 0
        let interfaces = (try? NetworkInterface.all()) ?? []
        let own = interfaces.filter { $0.isUp && !$0.isLoopback }.flatMap(\.addresses)
        self.request(
            .reach(
                port: port,
                besides: Set(own.map { Source(SocketAddress(ip: $0, port: port).description) })),
            pending)
    }

    /// Does by itself what `stoa doctor` does about links, since somebody is missed; gives what was found, in
    /// sentences.
    ///
    /// It costs a few frames, pings on up to eight links, what `status` does, and at most a second on the
    /// worker; it is done when others are missed than before, and at no other time.
    func examine(then done: @escaping ([String]) -> Void) {
        let following = { (reports: [DialBackReport], packets: [PacketReport]) in
            self.lookAtStatus { status in
                let facts = self.facts(status, reports, packets)
                let isTaken = self.workers.common.run { () -> [String] in
                    var facts = facts
                    facts.lookAtNetwork()
                    return Diagnosis.partings(facts).map(\.text)
                } then: { found in
                    self.turn { done(found) }
                }
                // What needs no looking is found all the same.
                if !isTaken { done(Diagnosis.partings(facts).map(\.text)) }
            }
        }
        self.lookWhoReaches(PendingRequest(nil, then: .reached(following)))
    }

    /// What the daemon knows itself of what a diagnosis is made of.
    private func facts(
        _ status: StatusMethod.Result, _ reports: [DialBackReport], _ packets: [PacketReport]
    ) -> DiagnosisFacts {
        let tiers = self.node.ask { $0.tiers(of: $0.peers) }
        var facts = DiagnosisFacts()
        facts.status = status
        let targets = self.node.targets
        facts.dials = targets.filter { $0.state == .connecting || $0.state == .waiting }
            .map { DialsMethod.Dial($0) }
        let dialled = Set(facts.dials.compactMap(\.peer))
        facts.peers = tiers.sorted { $0.key < $1.key }.compactMap { id, tier in
            let status = self.peerStatus(of: id)
            guard status.state == .linked || dialled.contains(id.description) else { return nil }
            var peer = PeersMethod.Peer(status)
            peer.tier = TierWord(tier)
            return peer
        }
        facts.refusals = self.node.refusals.map { RefusalsMethod.Refusal($0) }
        facts.now = Timestamp(milliseconds: Int64(clamping: SystemClock.wallMilliseconds()))
        facts.diagnosis = self.diagnosis(reports, packets)
        return facts
    }

    /// Answers what the daemon knows of itself, with what has become of asking its peers.
    func answerDiagnosis(
        _ reports: [DialBackReport], _ packets: [PacketReport], _ reply: Reply
    ) {
        self.lookAtSettings { settings in
            self.ask { (store) async throws(StoreFailure) in
                try await store.counts().usedBytes
            } then: { result in
                var diagnosis = self.diagnosis(reports, packets)
                // A store that cannot be read raises an alert; all else is told.
                if case .success(let bytes) = result { diagnosis.used = Int64(bytes) }
                diagnosis.settings = settings
                reply.answer(diagnosis)
            }
        }
    }

    /// What the next start would refuse of the settings as they are now, or takes though it is probably a
    /// mistake.
    private func lookAtSettings(then done: @escaping ([Finding]) -> Void) {
        guard let rereading = self.birth.rereading else { return done([]) }
        let safe = self.birth.safe
        let isTaken = self.workers.common.run { () -> [Finding] in
            do throws(ConfigurationError) {
                guard case .run(let configuration) = try rereading(nil) else { return [] }
                return configuration.findings(safe)
            } catch {
                return [
                    Finding(
                        "settings", .problem, "the next start would be refused: \(error.text)",
                        remedy: error.remedy)
                ]
            }
        } then: { found in
            self.turn { done(found) }
        }
        if !isTaken { done([]) }
    }

    private func diagnosis(
        _ reports: [DialBackReport], _ packets: [PacketReport]
    ) -> DiagnoseMethod.Result {
        var result = DiagnoseMethod.Result()
        result.port = Int64(self.network.listening.addresses.first?.port ?? 0)
        result.portIsChosen = self.configuration.listen.contains {
            Int64($0.port) == result.port
        }
        result.taken = self.network.listening.taken.map(\.description)
        result.reach = reports.map { report in
            DiagnoseMethod.Reach {
                $0.peer = report.peer.description
                $0.name = self.markedName(of: report.peer)
                $0.tier = TierWord(self.node.ask { $0.tier(of: report.peer) })
                $0.address = report.address
                $0.outcome = DiagnoseMethod.Outcome(report.outcome)
                $0.at = Timestamp(clamping: report.time)
            }
        }
        result.packets = packets.map { report in
            DiagnoseMethod.Packets {
                $0.peer = report.peer.description
                $0.name = self.markedName(of: report.peer)
                $0.address = report.address
                $0.sent = Int64(report.sent)
                $0.lost = Int64(report.lost)
                $0.received = Int64(report.received)
                $0.early = Int64(report.early)
                $0.small = report.isNarrow
                $0.stuck = report.isStuck && !report.isNarrow
            }
        }
        result.follows = self.network.discovery.follows
        let now = self.now
        let unheard = result.follows ? self.node.ask { $0.unheard(at: now) } : []
        result.unheard = unheard.map { peer in
            DiagnoseMethod.Unheard {
                $0.peer = peer.description
                $0.name = self.markedName(of: peer)
                $0.address = self.node.ask { $0.peerStatus(of: peer).addresses.first } ?? ""
            }
        }
        (result.limit, result.strangers, result.fellows) = self.diskShares
        return result
    }
}

extension DiagnoseMethod.Outcome {
    /// The same outcome in the words of the API.
    fileprivate init(_ outcome: DialBackReport.Outcome) {
        self =
            switch outcome {
            case .reached: .reached
            case .refused: .refused
            case .noAnswer: .noAnswer
            case .notTried: .notTried
            case .silent: .silent
            }
    }
}
