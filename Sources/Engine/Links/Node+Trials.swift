internal import Formats

/// Links on trial, and conversations that are looked for among services that are not linked.
///
/// `Docs/Decisions/0039-links-are-found-by-trial.md`.
extension Node {
    /// A peer without a place has had the time to say in which conversations it is.
    mutating func trialDue(_ id: LinkID) {
        // The timer may have been due when the link ended.
        guard self.links.has(id), self.links[id].isOnTrial else { return }
        var counts: [LinkID: Int] = [:]
        // Not those that anybody can begin, as who asks to be let in does.
        for conversation in self.conversations.table.values where conversation.isJoined {
            let sharing = self.links.sharing(conversation.id)
            for link in sharing { counts[link] = min(counts[link] ?? .max, sharing.count) }
        }
        let now = self.now.monotonic
        func counted(_ occupant: LinkPlaces.Occupant) -> LinkPlaces.Occupant {
            var occupant = occupant
            // Who has just got a place has not had the time yet to say what it shares.
            let isNew = now - self.links[occupant.link].openedAt < Limits.trialMilliseconds
            let unsaid = isNew && occupant.link != id ? 0 : Int.max
            occupant.fewestSharing = counts[occupant.link] ?? unsaid
            return occupant
        }
        let verdict = LinkPlaces.verdict(
            for: counted(self.occupant(self.links[id])), among: self.occupants.map(counted),
            in: self.own.configuration.linkBudget)
        switch verdict {
        case .full:
            return self.closeWithChallenger(id, .notNeeded, "other links are needed more")
        case .free: break
        case .replaces(let other): self.replace(other)
        }
        self.links[id].trialEnd = nil
        self.welcome(self.links[id])
    }

    /// Another service is dialled, as long as a conversation or somebody known is looked for.
    mutating func seekDue() {
        self.performDialling(
            self.dialling.seekDue(
                isSeeking: self.isSeekingPeople || self.isSeekingConversation, at: self.now,
                using: &self.random))
    }

    /// Looks once more for who shares a conversation, also among services that were tried for others.
    mutating func seek() {
        self.performDialling(self.dialling.seek(at: self.now))
    }

    /// Whether somebody whom the user knows is not linked.
    private var isSeekingPeople: Bool {
        self.chosenPeople.contains { peer in
            (self.persons.people.tier(of: peer) ?? .stranger) >= .known
                && self.links.id(of: peer) == nil
        }
    }

    /// Whether a conversation is shared from so few sources that others may be islands, or strangers all that are
    /// linked.
    private var isSeekingConversation: Bool {
        let most = self.own.configuration.linkBudget.sources
        return self.conversations.table.values.contains { conversation in
            guard conversation.isJoined, self.mayHaveOthers(conversation) else { return false }
            let sharing = self.links.sharing(conversation.id)
            if case .direct = conversation.kind { return sharing.isEmpty }
            guard sharing.count >= most else { return true }
            var sources: Set<Source> = []
            for id in sharing where sources.count < most {
                sources.insert(Source(self.links[id].address))
            }
            return sources.count < most
        }
    }

    /// Whether anybody but this device can be in a conversation.
    private func mayHaveOthers(_ conversation: Conversation) -> Bool {
        guard case .direct(let direct) = conversation.kind else { return true }
        return direct.person.id != self.own.certificate.personID
            || conversation.logs.keys.contains { $0.author != self.id }
    }
}
