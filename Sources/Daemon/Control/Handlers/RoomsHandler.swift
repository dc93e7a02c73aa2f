internal import ControlAPI
internal import Engine

extension RoomsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let realms = shell.nodeRealms
        reply.answer(
            (shell.node?.rooms ?? []).map { room in
                Room {
                    $0.id = room.id.description
                    $0.name = realms.text(of: room.room)
                    $0.realm = realms.name(of: room.room.realm)
                    $0.room = room.room.name.text
                    $0.reachable = room.isReachable
                    $0.joined = room.isJoined
                    $0.members = Int64(room.members)
                    $0.announcedBy = room.announcedBy.map(\.description)
                }
            })
    }
}
