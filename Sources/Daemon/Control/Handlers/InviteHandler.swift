internal import ControlAPI

extension InviteMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        reply.answer(try shell.invitation(to: params.room))
    }
}
