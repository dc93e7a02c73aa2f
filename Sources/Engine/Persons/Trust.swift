internal import Formats

/// A device and its person: this node's own.
struct OwnKeys: Hashable, Sendable {
    let device: PeerID
    let person: PersonID
}

/// How far somebody is trusted, by what the user has said, and by links and conversations where that is
/// nothing.
extension People {
    /// Whose device a peer is; nil while that is not known here.
    func person(
        of peer: PeerID, own: OwnKeys, _ links: LinkTable, known: [PeerID: KnownPeer]
    ) -> PersonID? {
        if peer == own.device { return own.person }
        return links.id(of: peer).map { links[$0].info.certificate.personID }
            ?? self.person(of: peer) ?? known[peer]?.person?.id
    }

    /// How far each of many is trusted.
    func tiers(
        of peers: some Collection<PeerID>, own: OwnKeys, _ links: LinkTable,
        _ conversations: Conversations, known: [PeerID: KnownPeer]
    ) -> [PeerID: Tier] {
        guard !peers.isEmpty else { return [:] }
        var fellows: Set<PeerID> = []
        for link in links.ids where links[link].realms.isFellow {
            fellows.insert(links[link].info.peer)
        }
        for id in conversations.table.keys {
            fellows.formUnion(conversations.table[known: id].fellows)
        }
        var tiers: [PeerID: Tier] = [:]
        for peer in peers {
            if peer == own.device {
                tiers[peer] = .own
            } else if let tier = self.tier(of: peer) {
                tiers[peer] = tier
            } else if self.person(of: peer, own: own, links, known: known) == own.person {
                tiers[peer] = .verified
            } else {
                tiers[peer] = fellows.contains(peer) ? .fellow : .stranger
            }
        }
        return tiers
    }
}
