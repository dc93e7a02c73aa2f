internal import ControlAPI
internal import Engine
internal import Storage

extension EraseMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        try shell.withMessage(params.id, reply) { (entry) throws(RPCError) in
            try shell.erase(entry, reply)
        }
    }
}

extension NodeShell {
    fileprivate func erase(_ entry: StoredEntry, _ reply: Reply) throws(RPCError) {
        try self.checkErasable(entry)
        let conversation = entry.key.conversation
        let answer = EraseMethod.Result {
            $0.id = entry.id.description
            $0.conversation = conversation.description
            $0.conversationName = self.name(of: conversation)
        }
        self.look(isSmall: true) { (store) throws(StoreFailure) in
            try store.payloads(entry.key, from: entry.seq, through: entry.seq).first?.state
        } then: { result in
            switch result {
            // Where it is erased already there is nothing that others would not know.
            case .success(.erased?): reply.answer(answer)
            case .success:
                self.request(
                    .erase(conversation, [EntryTarget(entry)]),
                    PendingRequest(reply: reply, settled: { reply.answer(answer) }))
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }

    /// Refuses what its author's replicas would ignore.
    private func checkErasable(_ entry: StoredEntry) throws(RPCError) {
        let author = entry.key.name.author
        guard let node = self.node, let own = node.person(of: node.id),
            author == node.id || node.person(of: author) == own
        else {
            throw .refused(
                "that message is not yours: \(self.shownName(of: author).name) has written it",
                reason: "notYours",
                remedy: "only who has written a message can take it back; to see nothing of "
                    + "somebody any longer: stoa block @PERSON")
        }
        guard entry.envelope.entryClass == EntryClass.content.rawValue else {
            throw .refused(
                "who has joined and left cannot be taken back", reason: "notErasable",
                remedy: "give the id of a message")
        }
    }
}
