internal import Formats

/// How somebody ranks where room is shared.
extension Node {
    /// A claim of somebody on a place, of which its weight and its number are still to be said.
    func claim(of author: PeerID, _ tier: Tier) -> FairShare<PeerID>.Claim {
        #if MUTANTS
            if Mutant.shareByAuthor.isActive {
                return FairShare.Claim(
                    key: author, tier: tier, source: Source(description: author.description),
                    author: author, number: 0)
            }
        #endif
        return FairShare.Claim(
            key: author, tier: tier, comesFirst: self.links.hasPlace(author),
            source: self.source(of: author), author: author, number: 0)
    }

    /// From where somebody comes: where they are linked, else who brought what they have written.
    ///
    /// Authors cost nothing, so they count for whoever brought them here.
    func source(of author: PeerID) -> Source? {
        if let link = self.links.id(of: author) { return Source(self.links[link].address) }
        let brought = self.conversations.table.keys.compactMap {
            self.conversations.table[known: $0].source(of: author)
        }
        return brought.min() ?? self.dialling.known[author]?.addresses.first.map { Source($0) }
    }
}

/// Strangers of whom something is remembered: how many they may be.
extension Node {
    /// Forgets strangers where there are too many.
    mutating func forgetStrangers() {
        let count = self.dialling.known.count + self.persons.profiles.authorCount
        guard self.persons.people.strangers.isDue(count) else { return }
        let forgotten = self.persons.people.strangers.giveWay(
            self.rememberedStrangers, count: count)
        guard !forgotten.isEmpty else { return }
        self.performDialling(self.dialling.forget(forgotten))
        for peer in forgotten {
            self.persons.profiles.forget(peer)
            self.forgetPicture(of: peer)
            self.receipts.marks.forget(peer)
            self.persons.people.forget(peer)
        }
        self.disk.commits.forget(forgotten)
        self.log(
            .info, "forgot \(forgotten.count) strangers to make room for others")
    }

    private var rememberedStrangers: [Strangers.Remembered] {
        var authors: Set<PeerID> = []
        for conversation in self.conversations.table.values {
            for name in conversation.logs.keys { authors.insert(name.author) }
        }
        let all = self.persons.profiles.allAuthors.union(self.dialling.known.keys)
        return self.tiers(of: all).filter { peer, tier in
            #if MUTANTS
                if Mutant.forgetAnybody.isActive { return true }
            #endif
            return tier == .stranger && !authors.contains(peer)
                && !self.persons.people.isRevokedByKnown(peer)
        }.map { peer, _ in
            let known = self.dialling.known[peer]
            return Strangers.Remembered(
                peer: peer, source: known?.addresses.first.map { Source($0) },
                lastSeen: known?.lastSeen ?? 0, isLinked: self.links.id(of: peer) != nil)
        }
    }
}
