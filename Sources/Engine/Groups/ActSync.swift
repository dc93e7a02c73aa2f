internal import Formats

/// A request that waits until linked members have told of their acts, so that what is signed next follows them.
struct ActSync {
    let request: RequestID
    let groups: [ConversationID]
    /// Whose acts do not matter: those of a person, or of one device.
    let besides: PersonID?
    var device: PeerID?
    /// What the answers to pings must carry: whatever a peer told before it answers has come by then.
    var pings: [LinkID: UInt64]
    var answered: Set<LinkID> = []
    let until: UInt64

    mutating func end(_ link: LinkID) {
        self.pings[link] = nil
        self.answered.remove(link)
    }
}

extension Groups {
    /// The links on which one of these groups is shared with anybody but a person and a device.
    func links(
        sharing ids: [ConversationID], besides person: PersonID?, _ device: PeerID?
    ) -> [LinkID] {
        self.peers.filter { _, peer in
            peer.person != person && peer.device != device
                && ids.contains { peer.groups[$0]?.isShared == true }
        }.keys.sorted()
    }

    mutating func ponged(_ nonce: UInt64, on link: LinkID) {
        for index in self.syncs.indices where self.syncs[index].pings[link] == nonce {
            self.syncs[index].pings[link] = nil
            self.syncs[index].answered.insert(link)
        }
    }

    /// Removes the requests that are finished, and gives each with the people whose acts are all here.
    mutating func takeSyncs(at moment: UInt64) -> [(sync: ActSync, asked: Set<PersonID>)] {
        var over: [(sync: ActSync, asked: Set<PersonID>)] = []
        self.syncs = self.syncs.filter { sync in
            guard sync.pings.isEmpty || moment >= sync.until else { return true }
            let told = sync.answered.filter { link in
                sync.groups.allSatisfy { self.hasTold(of: $0, on: link) }
            }
            guard told == sync.answered || moment >= sync.until else { return true }
            over.append((sync, Set(told.compactMap { self.peers[$0]?.person })))
            return false
        }
        return over
    }

    /// Whether everything is here that the peer of a link has told of, as far as it is taken.
    func hasTold(of id: ConversationID, on link: LinkID) -> Bool {
        guard let state = self.table[id], let exchange = self.peers[link]?.groups[id],
            exchange.isShared
        else { return true }
        return exchange.wants.allSatisfy { $0.allSatisfy(state.has) }
            && exchange.theirHeads.allSatisfy {
                state.known($0) != nil || exchange.refused.contains($0)
            }
    }
}
