internal import ControlAPI
internal import Engine
internal import Storage

extension JoinMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        shell.request(.join(try shell.room(typed: params.room)), PendingRequest(reply: reply))
    }
}

extension NodeShell {
    /// The node has joined a room; the answer also says what is stored of it.
    func joined(_ id: ConversationID, _ reply: Reply) {
        self.ask { (store) async throws(StoreFailure) in
            try await store.summaries().first { $0.conversation == id }
        } then: { result in
            // The room is joined whatever the store says about its last message.
            let summary = try? result.get()
            guard let room = self.conversationResult(id, summary) else {
                reply.fail(.internalError("the room was left meanwhile"))
                return
            }
            reply.answer(room)
        }
    }
}
