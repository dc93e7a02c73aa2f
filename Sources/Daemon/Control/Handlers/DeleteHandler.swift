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
        let target = EntryTarget(entry)
        self.look(isSmall: true) {
            (store) throws(StoreFailure) -> (PayloadState?, [EntryTarget]) in
            (
                try store.payloads(entry.key, from: entry.seq, through: entry.seq).first?.state,
                try store.latestEdits(of: target, in: conversation)
            )
        } then: { result in
            switch result {
            // Where it is erased already there is nothing that others would not know.
            case .success((.erased?, _)): reply.answer(answer)
            case .success((_, let edits)):
                // Servers between sites drop what a deletion names, and do not know what an edit is of.
                let targets = [target] + edits
                self.request(
                    .erase(conversation, targets),
                    PendingRequest(reply, then: .done { reply.answer(answer) }))
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}
