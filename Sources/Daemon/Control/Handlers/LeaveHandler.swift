internal import ControlAPI
internal import Engine
internal import Formats

extension LeaveMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        shell.request(.leave(try shell.conversation(params.room)), reply)
    }
}

extension NodeShell {
    /// The node has left a room.
    func left(_ id: ConversationID, _ reply: Reply) {
        reply.answer(
            LeaveMethod.Result {
                $0.id = id.description
                $0.name = self.name(of: id)
                let room = self.node.ask { $0.room(of: id) }
                let secret = self.node.ask { $0.secretRoom(id) }
                let group = self.node.ask { $0.group(id) }
                let realm = room?.realm ?? secret?.realm ?? group?.realm
                $0.realm = realm.map { self.nodeRealms.name(of: $0) } ?? ""
                $0.room = (room?.name ?? secret?.name ?? group?.name)?.text ?? ""
            })
    }
}
