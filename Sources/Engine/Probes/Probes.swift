internal import Formats

/// What ``Probes`` wants done, in order.
enum ProbeAction: Hashable, Sendable {
    case perform(Action)
    /// Send a frame, where the link is still there.
    case send(Frame, LinkID)
    /// Send a ping, where the link is still there, whose answer nobody waits for.
    case ping(LinkID)
}

/// Finding out for a user what is wrong with links: whether others reach this node, and whether packets are
/// lost; and dialling back peers that want to know the same.
struct Probes: Sendable {
    private var dialBacks = DialBacks()
    private var reachability = Reachability()
    private var packetTrial = PacketTrial()
    private var examinations = LinkExaminations()

    // MARK: Peers ask

    /// The peer of a link asks to be dialled back at a port.
    mutating func askedBack(
        _ port: UInt16, on id: LinkID, of links: LinkTable, _ dialling: inout Dialling,
        at now: Instant
    ) -> [ProbeAction] {
        // Who does not know the answer did not ask.
        guard links[id].info.features.contains(.dialBack) else { return [] }
        guard let address = self.dialBacks.ask(port, id, at: links[id].address, now) else {
            return [.send(.dialledBack(.notTried), id)]
        }
        let dial = dialling.nextDial()
        self.dialBacks.began(dial, for: id)
        // Else the link that comes of it would take the place of one on which packets are small.
        let peer = links[id].info.peer
        let isNarrow =
            links[id].large.isNarrow || dialling.narrow.has([peer], address, at: now)
        return [
            .perform(.dial(dial, address: address, expecting: peer, isNarrow: isNarrow))
        ]
    }

    /// A dial has ended: whoever had asked for it is told what became of it.
    mutating func dialEnded(_ dial: DialID, _ outcome: DialBackOutcome) -> [ProbeAction] {
        self.dialBacks.ended(dial).map { [.send(.dialledBack(outcome), $0)] } ?? []
    }

    // MARK: The user asks

    /// Asks linked peers to dial this node back at a port, then tries links for lost packets, and answers with
    /// what has become of both.
    ///
    /// Nobody is asked to dial a port that none dials. Those on the hosts of `own` are not asked: whoever is
    /// on this machine sees no firewall.
    ///
    /// - Parameter tiers: how far those are trusted who are linked.
    mutating func examine(
        port: UInt16, besides own: Set<Source>, for request: RequestID, _ links: LinkTable,
        _ tiers: [PeerID: Tier], at now: Instant
    ) -> [ProbeAction] {
        self.examinations.begin(request, besides: own)
        // Those first who are trusted most, one of each host.
        let candidates =
            port < Limits.dialBackPort
            ? []
            : links.ofHosts(besides: own, tiers) { $0.info.features.contains(.dialBack) }
                .prefix(Limits.dialBackPeers)
                .map {
                    Reachability.Candidate(link: $0.id, peer: $0.info.peer, address: $0.address)
                }
        let asked = self.reachability.ask(candidates, for: request, at: now)
        return asked.map { .send(.dialBack(port: port), $0) } + self.goOn(links, at: now)
    }

    /// A peer that was asked says what has become of it.
    mutating func answered(
        _ outcome: DialBackOutcome, on id: LinkID, of links: LinkTable, at now: Instant
    ) -> [ProbeAction] {
        self.reachability.answered(outcome, on: id, at: now)
        return self.goOn(links, at: now)
    }

    /// A stream of a peer has come in.
    mutating func accepted(
        from peer: PeerID, _ links: LinkTable, at now: Instant
    ) -> [ProbeAction] {
        self.reachability.accepted(from: peer, at: now)
        return self.goOn(links, at: now)
    }

    /// A link has ended, and is not among `links` any more.
    mutating func linkEnded(_ id: LinkID, _ links: LinkTable, at now: Instant) -> [ProbeAction] {
        self.dialBacks.forget(id)
        self.reachability.linkEnded(id, at: now)
        self.packetTrial.linkEnded(id)
        return self.goOn(links, at: now)
    }

    /// Peers that were asked to dial back have had their time.
    mutating func dialBacksDue(_ links: LinkTable, at now: Instant) -> [ProbeAction] {
        self.reachability.expire(at: now)
        return self.goOn(links, at: now)
    }

    /// Tries the packets of those requests for which no dial is waited for.
    private mutating func goOn(_ links: LinkTable, at now: Instant) -> [ProbeAction] {
        var wanted: [ProbeAction] = []
        for (request, reports) in self.reachability.takeAnswered() {
            let own = self.examinations.reached(request, reports)
            if links.count > 0 {
                self.packetTrial.ask(for: request, besides: own, at: now)
                wanted += self.planPackets()
            } else {
                wanted.append(self.answer(request, []))
            }
        }
        if let due = self.reachability.due { wanted.append(.perform(.arm(.dialBacks, at: due))) }
        return wanted
    }

    // MARK: Packets

    /// The system has counted the packets of links.
    mutating func counted(
        _ counts: [LinkID: PacketCounts], _ links: LinkTable, _ tiers: [PeerID: Tier],
        at now: Instant
    ) -> [ProbeAction] {
        let candidates = links.ofHosts(besides: self.packetTrial.own, tiers) { _ in true }.map {
            PacketTrial.Candidate(
                link: $0.id, peer: $0.info.peer, address: $0.address,
                tier: tiers[$0.info.peer] ?? .stranger, isStuck: $0.large.isFound)
        }
        self.packetTrial.counted(counts, candidates, at: now)
        return self.planPackets()
    }

    mutating func packetsDue(_ links: LinkTable, at now: Instant) -> [ProbeAction] {
        var wanted: [ProbeAction] = []
        switch self.packetTrial.due(at: now) {
        case .wait: break
        case .countAll: wanted.append(.perform(.countPackets(links.ids)))
        // Not by the pulse, which waits for the answer to one ping at a time.
        case .ping(let links): wanted += links.map { .ping($0) }
        case .count(let links): wanted.append(.perform(.countPackets(links)))
        }
        return wanted + self.planPackets()
    }

    private mutating func planPackets() -> [ProbeAction] {
        var wanted: [ProbeAction] = []
        if let due = self.packetTrial.dueAt { wanted.append(.perform(.arm(.packets, at: due))) }
        guard let (requests, reports) = self.packetTrial.takeDone() else { return wanted }
        for request in requests { wanted.append(self.answer(request, reports)) }
        return wanted
    }

    private mutating func answer(_ request: RequestID, _ packets: [PacketReport]) -> ProbeAction {
        .perform(.answer(request, .reach(self.examinations.end(request), packets)))
    }
}

extension LinkTable {
    /// Links of some kind, one of each host: those first who are trusted most.
    fileprivate func ofHosts(
        besides own: Set<Source>, _ tiers: [PeerID: Tier], _ isAble: (Link) -> Bool
    ) -> [Link] {
        func rank(_ link: Link) -> UInt8 { tiers[link.info.peer]?.rawValue ?? 0 }
        var hosts = own
        return self.all.filter(isAble)
            .sorted { (rank($1), $0.order, $0.id) < (rank($0), $1.order, $1.id) }
            .filter { hosts.insert(Source($0.address)).inserted }
    }
}
