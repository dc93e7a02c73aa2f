internal import Formats

/// What becomes of packets on links, for a user who wants to know what is wrong.
extension Node {
    /// Has some links tried for lost packets; those to hosts of `own` are not, since they lose none.
    mutating func tryPackets(besides own: Set<Source>, _ request: RequestID) {
        guard self.links.count > 0 else { return self.tellExamined(request, []) }
        self.packetTrial.ask(for: request, besides: own, at: self.now)
        self.planPackets()
    }

    mutating func packetsCounted(_ counts: [LinkID: PacketCounts]) {
        let candidates = self.linksOfHosts(besides: self.packetTrial.own) { _ in true }.map {
            PacketTrial.Candidate(
                link: $0.id, peer: $0.info.peer, address: $0.address,
                tier: self.tier(of: $0.info.peer))
        }
        self.packetTrial.counted(counts, candidates, at: self.now)
        self.planPackets()
    }

    mutating func packetsDue() {
        switch self.packetTrial.due(at: self.now) {
        case .wait: break
        case .countAll: self.actions.append(.countPackets(self.links.ids))
        case .ping(let links):
            // Not by the pulse, which waits for the answer to one ping at a time.
            for link in links where self.links.has(link) {
                self.send(.ping(nonce: self.random.next(), clock: self.now.wall), on: link)
            }
        case .count(let links): self.actions.append(.countPackets(links))
        }
        self.planPackets()
    }

    private mutating func planPackets() {
        if let due = self.packetTrial.dueAt { self.actions.append(.arm(.packets, at: due)) }
        guard let (requests, reports) = self.packetTrial.takeDone() else { return }
        for request in requests { self.tellExamined(request, reports) }
    }

    private mutating func tellExamined(_ request: RequestID, _ packets: [PacketReport]) {
        self.answer(request, .reach(self.examinations.end(request), packets))
    }

    /// Links of some kind, one of each host: those first who are trusted most.
    func linksOfHosts(besides own: Set<Source>, _ isAble: (Link) -> Bool) -> [Link] {
        let able = self.links.all.filter(isAble)
        let tiers = self.tiers(of: Set(able.map(\.info.peer)))
        func rank(_ link: Link) -> UInt8 { tiers[link.info.peer]?.rawValue ?? 0 }
        var hosts = own
        return able.sorted { (rank($1), $0.order, $0.id) < (rank($0), $1.order, $1.id) }
            .filter { hosts.insert(Source($0.address)).inserted }
    }
}
