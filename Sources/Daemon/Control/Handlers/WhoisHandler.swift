internal import ControlAPI
internal import Engine
internal import Formats

extension WhoisMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let matches = try shell.people(params.person)
        let id = matches[0]
        let profile = shell.node.ask { $0.profile(of: id) }
        let peer = shell.peerStatus(of: id)
        var result = Result()
        result.id = id.description
        result.person = shell.node.ask { $0.person(of: id) }?.description
        (result.name, result.ambiguous) = shell.shownName(of: id)
        result.tier = TierWord(shell.node.ask { $0.tier(of: id) })
        result.verified = result.tier == .verified
        result.status = profile.status
        result.picture = shell.pictureResult(of: id)
        result.state = PeersMethod.State(peer.state)
        result.presence = PresenceWord(peer)
        result.addresses = peer.addresses
        result.others = matches.dropFirst().prefix(ControlLimits.candidates).map(shell.personResult)
        reply.answer(result)
    }
}
