internal import Formats

/// What transfers need to know of others: who is linked, who may see what, and how far anybody is trusted.
struct Neighbours: Sendable {
    let own: OwnKeys
    let links: LinkTable
    let conversations: Conversations
    let people: People
    let known: [PeerID: KnownPeer]

    func tiers(of peers: some Collection<PeerID>) -> [PeerID: Tier] {
        self.people.tiers(
            of: peers, own: self.own, self.links, self.conversations, known: self.known)
    }

    /// Those links whose peers may have what some places tell of, and know of files.
    func holders(of places: Set<BlobPlace>) -> [BlobPlace: [LinkID]] {
        var holders: [BlobPlace: [LinkID]] = [:]
        for place in places { holders[place] = self.holders(of: place) }
        return holders
    }

    func holders(of place: BlobPlace) -> [LinkID] {
        let links =
            switch place {
            case .conversation(let conversation): self.links.sharing(conversation)
            case .profile(let author):
                self.links.ids.filter { self.maySeeProfile(of: author, on: $0) }
            }
        return links.filter { self.links[$0].info.features.contains(.blobs) }
    }

    /// Whether a peer may see the profile of somebody, who it is, and so their picture: whoever may be
    /// sent the record, by the same rule.
    func maySeeProfile(of author: PeerID, on id: LinkID) -> Bool {
        #if MUTANTS
            if Mutant.serveAnyPicture.isActive { return true }
        #endif
        if author == self.own.device {
            return self.conversations.maySeeOwnProfile(id, of: self.links)
        }
        if author == self.links[id].info.peer { return true }
        return self.links[id].shared.keys.contains {
            self.conversations.table[known: $0].count(of: author) > 0
                && !self.conversations.table[known: $0].isRequest
        }
    }
}

extension Conversations {
    /// Whether a peer may see who this is: it shares a conversation or a realm with a secret.
    func maySeeOwnProfile(_ id: LinkID, of links: LinkTable) -> Bool {
        links[id].realms.isFellow
            || links[id].shared.keys.contains { !self.table[known: $0].isRequest }
    }
}
