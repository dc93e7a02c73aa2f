internal import ControlAPI
internal import Engine

extension RetainMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let id = try shell.conversation(params.to)
        guard shell.node?.ask({ $0.conversationStatus(of: id) }) != nil else { throw .notMember() }
        shell.request(
            .retain(id, days: params.days.map { UInt32(clamping: $0) }),
            PendingRequest(reply: reply))
        if params.days == nil {
            // What is older and not here yet is kept again.
            shell.request(.expire(id, before: HybridTime(0)), PendingRequest(reply: nil))
        } else {
            shell.expireOld()
        }
    }
}
