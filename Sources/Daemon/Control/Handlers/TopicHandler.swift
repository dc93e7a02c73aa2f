internal import ControlAPI
internal import Engine
internal import Formats

extension TopicMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let id = try shell.conversation(params.to)
        guard shell.node.ask({ $0.conversationStatus(of: id) }) != nil else {
            throw shell.notMember(of: id)
        }
        guard let topic = params.text else {
            return shell.withConversation(id, reply) { reply.answer($0) }
        }
        let pending = PendingRequest(
            reply,
            then: .done { shell.withConversation(id, reply) { reply.answer($0) } })
        shell.request(.send(Outgoing(conversation: id, content: .topic(topic))), pending)
    }
}
