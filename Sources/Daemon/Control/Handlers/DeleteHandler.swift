internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

extension DeleteMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.withMessage(params.id, reply) { (entry) throws(RPCError) in
            try shell.delete(entry, reply)
        }
    }
}

extension NodeShell {
    fileprivate func delete(_ entry: StoredEntry, _ reply: Reply) throws(RPCError) {
        try self.checkOwn(entry, toDo: "delete it")
        let conversation = entry.key.conversation
        let answer = self.changedMessage(entry.id, in: conversation)
        self.look(isSmall: true) { (store) throws(StoreFailure) in
            try store.payloads(entry.key, from: entry.seq, through: entry.seq).first?.state
        } then: { result in
            switch result {
            // Where it is erased already there is nothing that others would not know.
            case .success(.erased?): reply.answer(answer)
            case .success:
                self.request(
                    .erase(conversation, [EntryTarget(entry)]),
                    PendingRequest(reply, then: .done { reply.answer(answer) }))
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}
