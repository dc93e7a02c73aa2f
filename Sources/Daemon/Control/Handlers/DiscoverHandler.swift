internal import ControlAPI

extension DiscoverMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        reply.answer(OpenRPC.document)
    }
}
