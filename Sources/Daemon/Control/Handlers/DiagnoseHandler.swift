internal import ControlAPI
internal import Engine
internal import Posix
internal import Storage

extension DiagnoseMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let port = shell.listening.addresses.first?.port ?? 0
        let interfaces = (try? NetworkInterface.all()) ?? []
        let own = interfaces.filter { $0.isUp && !$0.isLoopback }.flatMap(\.addresses)
        shell.request(
            .reach(
                port: port,
                besides: Set(own.map { Source(SocketAddress(ip: $0, port: port).description) })),
            PendingRequest(reply: reply))
    }
}

extension NodeShell {
    /// Answers what the daemon knows of itself, with what has become of asking its peers.
    func answerDiagnosis(_ reports: [DialBackReport], _ reply: Reply) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.counts().usedBytes
        } then: { result in
            var diagnosis = self.diagnosis(reports)
            // A store that cannot be read raises an alert; all else is told.
            if case .success(let bytes) = result { diagnosis.used = Int64(bytes) }
            reply.answer(diagnosis)
        }
    }

    private func diagnosis(_ reports: [DialBackReport]) -> DiagnoseMethod.Result {
        var result = DiagnoseMethod.Result()
        result.port = Int64(self.listening.addresses.first?.port ?? 0)
        result.portIsChosen = self.configuration.listen.contains {
            Int64($0.port) == result.port
        }
        result.reach = reports.map { report in
            DiagnoseMethod.Reach {
                $0.peer = report.peer.description
                $0.name = self.shownName(of: report.peer).name
                $0.tier = TierWord(self.node?.ask { $0.tier(of: report.peer) } ?? .stranger)
                $0.address = report.address
                $0.outcome = DiagnoseMethod.Outcome(report.outcome)
                $0.at = Timestamp(clamping: report.time)
            }
        }
        result.follows = self.discovery.follows
        let now = self.now
        let unheard = result.follows ? self.node?.ask { $0.unheard(at: now) } : nil
        result.unheard = (unheard ?? []).map { peer in
            DiagnoseMethod.Unheard {
                $0.peer = peer.description
                $0.name = self.shownName(of: peer).name
                $0.address = self.node?.ask { $0.peerStatus(of: peer).addresses.first } ?? ""
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
