internal import Formats

/// What ``Probes`` decides is done here.
extension Node {
    mutating func perform(_ wanted: [ProbeAction]) {
        for action in wanted {
            switch action {
            case .perform(let action): self.actions.append(action)
            case .send(let frame, let link):
                if self.links.has(link) { self.send(frame, on: link) }
            case .ping(let link):
                guard self.links.has(link) else { continue }
                self.send(.ping(nonce: self.random.next(), clock: self.now.wall), on: link)
            }
        }
    }

    /// How far those are trusted who are linked.
    private var linkedTiers: [PeerID: Tier] { self.tiers(of: self.links.peers) }

    mutating func receiveDialBack(_ port: UInt16, on id: LinkID) {
        self.perform(
            self.probes.askedBack(port, on: id, of: self.links, &self.dialling, at: self.now))
    }

    mutating func receiveDialledBack(_ outcome: DialBackOutcome, on id: LinkID) {
        self.perform(self.probes.answered(outcome, on: id, of: self.links, at: self.now))
    }

    mutating func examineLinks(port: UInt16, besides own: Set<Source>, _ request: RequestID) {
        let tiers = self.linkedTiers
        self.perform(
            self.probes.examine(
                port: port, besides: own, for: request, self.links, tiers, at: self.now))
    }

    mutating func packetsCounted(_ counts: [LinkID: PacketCounts]) {
        let tiers = self.linkedTiers
        self.perform(self.probes.counted(counts, self.links, tiers, at: self.now))
    }
}
