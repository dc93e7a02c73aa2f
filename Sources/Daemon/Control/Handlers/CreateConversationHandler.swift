internal import ControlAPI
internal import Engine
internal import Formats

extension CreateConversationMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        if let room = params.room {
            // The group writes; which rooms the account is in is for the account to say.
            guard reply.asker?.access == .owner else { throw .ownerOnly("create a room") }
            return try shell.createSecret(params, room, reply)
        }
        let person = try shell.person(params.person ?? "", for: .reach)
        let pending = PendingRequest(
            reply,
            then: .begun { id in
                shell.withConversation(id, reply) { conversation in
                    reply.answer(Result { $0.conversation = conversation })
                }
            })
        shell.request(.beginDirect(person), pending)
    }
}
