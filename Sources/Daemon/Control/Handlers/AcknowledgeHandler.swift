internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

extension AcknowledgeMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        var conversation: ConversationID?
        if let named = params.conversation { conversation = try shell.conversation(named) }
        let cursor = Cursor(params.cursor)
        guard cursor <= shell.clients.newestShown else {
            throw .invalidParams(
                "cursor \(params.cursor) is ahead of the newest one, \(shell.clients.newestShown.rawValue)",
                reason: "cursorAhead", remedy: "acknowledge the cursor of a message",
                details: [JSON.Member("param", "cursor")])
        }
        let scope = conversation
        guard let consumer = params.consumer else {
            guard let scope else { preconditionFailure("one of the two was checked to be there") }
            let pending = PendingRequest(reply, then: .done { reply.answer(EmptyValue()) })
            return shell.request(.read(scope, through: cursor), pending)
        }
        shell.ask { (store) async throws(StoreFailure) in
            try await store.acknowledge(consumer: consumer, in: scope, cursor: cursor)
        } then: { result in
            switch result {
            case .success: reply.answer(EmptyValue())
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}
