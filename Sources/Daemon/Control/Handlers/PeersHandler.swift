internal import ControlAPI
internal import Engine

extension PeersMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        reply.answer(
            Result {
                $0.peers = (shell.node?.peers ?? []).map { peer in
                    var result = Peer(peer)
                    result.ambiguous = shell.shownName(of: peer.id).ambiguous
                    result.tier = TierWord(shell.node?.ask { $0.tier(of: peer.id) } ?? .stranger)
                    return result
                }
                $0.dials = (shell.node?.targets ?? []).compactMap(Dial.init)
                $0.refusals = (shell.node?.refusals ?? []).map(PeersMethod.Refusal.init)
            })
    }
}

extension PeersMethod.Peer {
    /// Describes a peer.
    init(_ peer: PeerStatus) {
        self.init()
        self.id = peer.id.description
        self.person = peer.person?.description
        self.name = peer.profile.name
        self.status = peer.profile.status
        self.state = PeersMethod.State(peer.state)
        self.addresses = peer.addresses
        self.lastSeen = peer.lastSeen.map { Timestamp(clamping: $0) }
        self.source = PeersMethod.Source(peer.source)
        self.roundTripMilliseconds = peer.roundTripMilliseconds.map { Double($0) }
        self.clockOffsetMilliseconds = peer.clockOffsetMilliseconds
    }
}

extension PeersMethod.Dial {
    /// Describes what is dialled; nil for what is linked, and for this node itself.
    init?(_ target: TargetStatus) {
        guard target.state == .connecting || target.state == .waiting else { return nil }
        self.init()
        self.addresses = target.addresses
        self.source = PeersMethod.Source(target.source)
        self.peer = target.peer?.description
        self.dialling = target.state == .connecting
        self.failure = target.failedDial?.failure.reason.rawValue
        self.detail = target.failedDial?.failure.detail
        self.failedAt = target.failedDial.map { Timestamp(clamping: $0.time) }
        self.failures = Int64(target.failedDial?.count ?? 0)
    }
}

extension PeersMethod.Refusal {
    /// Describes a refusal.
    init(_ refusal: Refusal) {
        self.init()
        self.time = Timestamp(clamping: refusal.time)
        self.address = refusal.address
        self.peer = refusal.peer?.description
        self.reason = refusal.reason
        self.count = Int64(refusal.count)
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
            }
    }
}
