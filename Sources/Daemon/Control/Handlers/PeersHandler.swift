internal import ControlAPI
internal import Engine
internal import Formats

extension PeersMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "peers")
        // Who is blocked is in the list of people.
        let tiers = shell.node.ask { $0.tiers(of: $0.peers) }.filter { $0.value > .blocked }
        reply.answer(
            cut.page(of: tiers, byteLimit: reply.listBytes) { peer, tier in
                PagePlace(trust: tier, peer)
            } element: { id, tier in
                var peer = Peer(shell.peerStatus(of: id))
                peer.ambiguous = shell.shownName(of: id).ambiguous
                peer.tier = TierWord(tier)
                return peer
            })
    }
}

extension PagePlace {
    /// Those first who are trusted most, then by key.
    init(trust: Tier, _ peer: PeerID) {
        self.init(rank: Int(Tier.own.rawValue - trust.rawValue), key: peer.description)
    }
}

extension PeersMethod.Peer {
    init(_ peer: PeerStatus) {
        self.init()
        self.id = peer.id.description
        self.person = peer.person?.description
        self.name = peer.profile.name
        self.status = peer.profile.status
        self.state = PeersMethod.State(peer.state)
        self.presence = PresenceWord(peer)
        self.addresses = peer.addresses
        self.lastSeen = peer.lastSeen.map { Timestamp(clamping: $0) }
        self.source = PeersMethod.Source(peer.source)
        self.roundTripMilliseconds = peer.roundTripMilliseconds.map { Double($0) }
        self.clockOffsetMilliseconds = peer.clockOffsetMilliseconds
    }
}

extension PeersMethod.State {
    /// The same state in the words of the API.
    init(_ state: PeerStatus.State) {
        self =
            switch state {
            case .linked: .linked
            case .connecting: .connecting
            case .away: .away
            case .refused: .refused
            }
    }
}

extension PeersMethod.Source {
    /// The same source in the words of the API.
    init(_ source: PeerStatus.Source) {
        self =
            switch source {
            case .discovery: .discovery
            case .static: .static
            case .remembered: .remembered
            case .incoming: .incoming
            case .record: .record
            }
    }
}
