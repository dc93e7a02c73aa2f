internal import ControlAPI
internal import Engine

extension CreateConversationMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        shell.request(
            .beginDirect(try shell.person(params.person)), PendingRequest(reply: reply))
    }
}
