internal import ControlAPI
internal import Engine
internal import Formats

extension RequestsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "requests")
        let pending = shell.node.ask { $0.pendingRequests }
        let turnedAway = shell.node.ask { $0.requestsTurnedAway }
        let page =
            cut.page(of: pending, byteLimit: reply.listBytes) {
                PagePlace(rank: 0, key: $0.device.description)
            } element: { request in
                let shown = shell.shownName(of: request.device)
                return Request {
                    $0.person = request.device.description
                    $0.name = shown.name
                    $0.ambiguous = shown.ambiguous
                    $0.text = request.text
                    $0.time = Timestamp(clamping: request.time)
                    $0.address = request.source
                }
            }
        reply.answer(
            Result {
                $0.items = page.items
                $0.next = page.next
                $0.turnedAway = turnedAway > 0 ? Int64(turnedAway) : nil
            })
    }
}

extension AcceptMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let peer = try shell.person(params.person, for: .waiting)
        shell.request(.accept(peer), reply)
    }
}

extension DeclineMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let peer = try shell.person(params.person, for: .waiting)
        shell.request(.decline(peer), reply)
    }
}
