internal import Formats

/// People who are gone without a goodbye, for the alert that says so.
///
/// `tiers` says how far those are trusted who are gone (``Absences/devices``): who is known no longer is not
/// missed.
extension Alerts {
    /// Looks who is missed, where that is due.
    mutating func lookWhoIsMissing(
        _ links: LinkTable, _ tiers: [PeerID: Tier], at now: Instant
    ) -> [AlertAction] {
        let here = Set(links.all.map(\.info.certificate.personID))
        guard self.absences.look(at: now, isHere: { here.contains($0) }) else { return [] }
        return self.examineMissing(tiers, at: now)
    }

    /// This machine was looked at.
    mutating func examined(
        _ found: [String], _ tiers: [PeerID: Tier], at now: Instant
    ) -> [AlertAction] {
        self.absences.examined(found, at: now)
        return self.tellMissing(besides: found, tiers)
    }

    /// The last link with a peer has ended, with a goodbye or without.
    mutating func linkEnded(
        _ info: LinkInfo, isLost: Bool, _ tier: Tier, _ tiers: [PeerID: Tier], at now: Instant
    ) -> [AlertAction] {
        let person = info.certificate.personID
        guard isLost else { return self.missNoLonger(person, tiers, at: now) }
        if Self.mayBeMissed(tier) {
            self.absences.lost(person, info.peer, boot: info.boot, at: now)
        }
        return []
    }

    /// A peer says that its daemon ends, on a link or on one that is held back beside it.
    mutating func saidGoodbye(_ info: LinkInfo, _ tier: Tier) {
        guard Self.mayBeMissed(tier) else { return }
        self.absences.saidGoodbye(info.certificate.personID, boot: info.boot)
    }

    private static func mayBeMissed(_ tier: Tier) -> Bool { tier == .known || tier == .verified }

    /// Somebody is here, or has said goodbye.
    mutating func missNoLonger(
        _ person: PersonID, _ tiers: [PeerID: Tier], at now: Instant
    ) -> [AlertAction] {
        let before = self.absences.missed
        self.absences.forget(person)
        return self.absences.missed == before ? [] : self.examineMissing(tiers, at: now)
    }

    /// The user knows somebody no longer.
    mutating func forget(
        _ person: PersonID, _ tiers: [PeerID: Tier], at now: Instant
    ) -> [AlertAction] {
        let wanted = self.missNoLonger(person, tiers, at: now)
        self.absences.drop(person)
        return wanted
    }

    /// The own network is another one: this node has left those whom it missed.
    mutating func moved(_ tiers: [PeerID: Tier], at now: Instant) -> [AlertAction] {
        self.absences.moved(at: now)
        return self.examineMissing(tiers, at: now)
    }

    /// Others are missed than before: the alert says so once it is known how this machine is.
    private mutating func examineMissing(
        _ tiers: [PeerID: Tier], at now: Instant
    ) -> [AlertAction] {
        guard !self.missed(tiers).isEmpty else {
            self.clear(.missing, at: now)
            return []
        }
        if let found = self.absences.found(at: now) {
            return self.tellMissing(besides: found, tiers)
        }
        return self.absences.beginExamination() ? [.perform(.examine)] : []
    }

    /// Nothing where they have come back meanwhile.
    private func tellMissing(
        besides found: [String], _ tiers: [PeerID: Tier]
    ) -> [AlertAction] {
        let missed = self.missed(tiers)
        return missed.isEmpty ? [] : [.tellMissing(missed, found: found)]
    }

    private func missed(_ tiers: [PeerID: Tier]) -> [Absences.Missed] {
        self.absences.missed.filter { tiers[$0.device, default: .stranger] >= .known }
    }
}
