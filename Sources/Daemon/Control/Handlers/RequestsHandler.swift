internal import ControlAPI
internal import Engine
internal import Formats

extension RequestsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "requests")
        let pending =
            shell.node.ask { $0.pendingRequests }.map { Waiting.person($0) }
            + shell.node.ask { $0.pendingGroupRequests }.map { Waiting.group($0) }
        let turnedAway = shell.node.ask { $0.requestsTurnedAway }
        let joins = shell.node.ask { $0.groupJoins }
        let page =
            cut.page(of: pending, byteLimit: reply.listBytes) {
                $0.place
            } element: {
                shell.result(of: $0)
            }
        reply.answer(
            Result {
                $0.items = page.items
                $0.next = page.next
                $0.turnedAway = turnedAway > 0 ? Int64(turnedAway) : nil
                $0.joins = joins.isEmpty ? nil : joins.map { shell.shown($0.join, $0.obstacle) }
            })
    }
}

extension AcceptMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        if let group = try shell.waitingGroup(params.person) {
            return shell.request(.acceptGroup(group.group), reply)
        }
        let peer = try shell.person(params.person, for: .waiting)
        shell.request(.accept(peer), reply)
    }
}

extension DeclineMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        var group = shell.groupJoin(params.person)
        if group == nil { group = try shell.waitingGroup(params.person) }
        if let group {
            let pending = PendingRequest(
                reply, then: .done { reply.answer(shell.personResult(group.inviter)) })
            return shell.request(.declineGroup(group.group), pending)
        }
        let peer = try shell.person(params.person, for: .waiting)
        shell.request(.decline(peer), reply)
    }
}

/// What waits for the user.
private enum Waiting {
    case person(DirectRequest)
    case group(GroupRequest)

    var place: PagePlace {
        switch self {
        case .person(let request): PagePlace(rank: 0, key: request.device.description)
        case .group(let request): PagePlace(rank: 1, key: request.group.description)
        }
    }
}

extension NodeShell {
    fileprivate func result(of waiting: Waiting) -> RequestsMethod.Request {
        var result = RequestsMethod.Request()
        let device: PeerID
        switch waiting {
        case .person(let request):
            device = request.device
            result.text = request.text
            result.time = Timestamp(clamping: request.time)
            result.address = request.source
        case .group(let request):
            device = request.inviter
            result.kind = .group
            result.group = request.group.description
            let founded = request.founding.map { ConversationKind.group($0) }
            result.groupName = founded.map { kind in self.node.ask { $0.name(of: kind) } }
            result.time = Timestamp(clamping: request.time)
            result.address = request.source
        }
        result.person = device.description
        (result.name, result.ambiguous) = self.shownName(of: device)
        return result
    }
}
