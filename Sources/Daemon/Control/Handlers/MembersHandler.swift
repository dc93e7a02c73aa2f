internal import ControlAPI
internal import Engine
internal import Formats

extension MembersMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.page.cut(of: "members")
        let id = try shell.conversation(params.to)
        guard let status = shell.node.ask({ $0.conversationStatus(of: id) }) else {
            throw shell.notMember(of: id)
        }
        let tiers = shell.node.ask { $0.tiers(of: status.members) }
        reply.answer(
            cut.page(of: tiers, byteLimit: reply.listBytes) { peer, tier in
                PagePlace(trust: tier, peer)
            } element: { peer, tier in
                Member {
                    $0.id = peer.description
                    $0.person = shell.node.ask { $0.person(of: peer) }?.description
                    ($0.name, $0.ambiguous) = shell.shownName(of: peer)
                    $0.tier = TierWord(tier)
                    guard tier != .own else { return }
                    let status = shell.peerStatus(of: peer)
                    $0.state = PeersMethod.State(status.state)
                    $0.presence = PresenceWord(status)
                    $0.lastSeen = status.lastSeen.map { Timestamp(clamping: $0) }
                }
            })
    }
}
