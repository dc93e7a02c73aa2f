internal import ControlAPI
internal import Engine
internal import Formats

extension JoinMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        if let invite = params.invite {
            let line = try shell.invitation(.room, .group, in: invite)
            return PastedInvitation.isOfGroup(line)
                ? try shell.joinGroup(line, reply) : try shell.joinSecret(line, reply)
        }
        let room = params.room ?? ""
        // Of several secret rooms with one name each is named by its id.
        let id = ConversationID(room)
        let isSecret = id.map { id in shell.node.ask { $0.secretRoom(id) } != nil } ?? false
        if let phrase = params.phrase {
            try shell.joinSecret(room, phrase: phrase, params.suite, reply)
        } else if room.hasPrefix("&") || isSecret {
            try shell.rejoinSecret(room, reply)
        } else if room.hasPrefix("+") {
            throw .refused(
                "nobody joins a group by its name", reason: "isGroup",
                remedy: "accept an invitation (stoa requests), or paste a link's line: stoa join")
        } else {
            let open = try shell.room(typed: room, toJoin: true)
            shell.request(.join(open), reply)
        }
    }
}
