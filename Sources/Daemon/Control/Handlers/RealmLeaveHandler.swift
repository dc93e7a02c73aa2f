internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix

extension RealmLeaveMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let realm = try shell.realm(named: params.name)
        try shell.checkOwn(realm)
        let joined = shell.node.ask { Array($0.joinedConversations.values) }
        let rooms = joined.compactMap(\.room).filter { $0.realm == realm.id }.sorted()
        try shell.changeRealms(reply) { (files) throws(SystemError) in
            try files.leave(realm)
        } then: { stored in
            stored.drop(realm)
        } answer: {
            reply.answer(
                Result {
                    $0.name = realm.name.text
                    $0.rooms = rooms.map(shell.nodeRealms.text(of:))
                })
        }
    }
}
