internal import ControlAPI
internal import Engine

extension RetainMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let id = try shell.conversation(params.to)
        guard shell.node?.ask({ $0.conversationStatus(of: id) }) != nil else { throw .notMember() }
        guard params.off == true || params.days != nil || params.bytes != nil else {
            return shell.withConversation(id, reply) { reply.answer($0) }
        }
        guard params.off != true || params.days == nil && params.bytes == nil else {
            throw .invalidParams(
                "what is kept for ever has no bounds", reason: "invalid",
                remedy: "leave off out, or days and bytes", details: [JSON.Member("param", "off")])
        }
        let retention = Retention(
            days: params.days.map { UInt32(clamping: $0) },
            bytes: params.bytes.map { UInt64(clamping: $0) })
        let pending = PendingRequest(
            reply: reply,
            settled: {
                if retention.days == nil {
                    // What is older and not here yet is kept again.
                    shell.request(
                        .expire(id, .before(HybridTime(0))), PendingRequest(reply: nil))
                }
                shell.expireOld()
                shell.withConversation(id, reply) { reply.answer($0) }
            })
        shell.request(.retain(id, retention), pending)
    }
}
