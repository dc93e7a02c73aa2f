internal import Formats

/// What is asked for that concerns no conversation: to be dialled back, by peers and by this node.
extension Node {
    // MARK: Peers ask

    mutating func receiveDialBack(_ port: UInt16, on id: LinkID) {
        let link = self.links[id]
        // Who does not know the answer did not ask.
        guard link.info.features.contains(.dialBack) else { return }
        guard let address = self.dialBacks.ask(port, id, at: link.address, self.now) else {
            return self.send(.dialledBack(.notTried), on: id)
        }
        let dial = self.dialling.nextDial()
        self.dialBacks.began(dial, for: id)
        self.actions.append(.dial(dial, address: address, expecting: link.info.peer))
    }

    /// Tells who had asked for a dial what became of it, where it still is there to be told.
    mutating func dialBackEnded(_ dial: DialID, _ outcome: DialBackOutcome) {
        guard let link = self.dialBacks.ended(dial), self.links.has(link) else { return }
        self.send(.dialledBack(outcome), on: link)
    }

    // MARK: This node asks

    /// Asks linked peers to dial this node back at a port, then tries links for lost packets, and answers with
    /// what has become of both.
    ///
    /// Nobody is asked to dial a port that none dials. Those on the hosts of `own` are not asked: whoever is
    /// on this machine sees no firewall.
    mutating func lookWhoReaches(
        port: UInt16, besides own: Set<Source>, _ request: RequestID
    ) {
        self.examinations.begin(request, besides: own)
        let candidates = port < Limits.dialBackPort ? [] : self.dialBackCandidates(besides: own)
        for link in self.reachability.ask(candidates, for: request, at: self.now) {
            self.send(.dialBack(port: port), on: link)
        }
        self.tellReach()
    }

    /// Whom to ask: those first who are trusted most, one of each host.
    private func dialBackCandidates(besides own: Set<Source>) -> [Reachability.Candidate] {
        self.linksOfHosts(besides: own) { $0.info.features.contains(.dialBack) }
            .prefix(Limits.dialBackPeers)
            .map {
                Reachability.Candidate(link: $0.id, peer: $0.info.peer, address: $0.address)
            }
    }

    /// Goes on with what was asked for where nobody is waited for, and has those given up in time that say
    /// nothing.
    mutating func tellReach() {
        for (request, reports) in self.reachability.takeAnswered() {
            self.tryPackets(besides: self.examinations.reached(request, reports), request)
        }
        if let due = self.reachability.due {
            self.actions.append(.arm(.dialBacks, at: due))
        }
    }

    mutating func dialBacksDue() {
        self.reachability.expire(at: self.now)
        self.tellReach()
    }

    mutating func receiveDialledBack(_ outcome: DialBackOutcome, on id: LinkID) {
        self.reachability.answered(outcome, on: id, at: self.now)
        self.tellReach()
    }
}
