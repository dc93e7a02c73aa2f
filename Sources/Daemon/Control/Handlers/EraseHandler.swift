internal import ControlAPI
internal import Engine
internal import Storage

extension EraseMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let text = params.id.lowercased()
        guard let prefix = EntryIDPrefix(text) else {
            throw .notFound(
                "\"\(TerminalText.line(params.id))\" is no message's id",
                reason: "unknownMessage",
                remedy: "take it from history: at least \(EntryIDPrefix.leastCharacters) characters"
            )
        }
        shell.look(isSmall: true) { (store) throws(StoreFailure) in
            try store.entries(beginning: prefix)
        } then: { result in
            switch result {
            case .success(let found): shell.erase(found, named: text, reply)
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}

extension NodeShell {
    fileprivate func erase(_ found: [StoredEntry], named text: String, _ reply: Reply) {
        guard let entry = found.first else {
            return reply.fail(
                .notFound(
                    "there is no message \(TerminalText.line(text))", reason: "unknownMessage",
                    remedy: "take an id from history: stoa history ROOM --ids"))
        }
        guard found.count == 1 else {
            return reply.fail(
                .notFound(
                    "\(found.count) messages begin with \(TerminalText.line(text))",
                    reason: "ambiguousMessage", remedy: "give more of the id"))
        }
        do throws(RPCError) { try self.checkErasable(entry) } catch { return reply.fail(error) }
        let conversation = entry.key.conversation
        let answer = EraseMethod.Result {
            $0.id = entry.id.description
            $0.conversation = conversation.description
            $0.conversationName = self.name(of: conversation)
        }
        // Where it is gone already there is nothing that others would not know.
        guard entry.isSeen else { return reply.answer(answer) }
        let target = EraseTarget(log: entry.key.name, seq: entry.seq, id: entry.id)
        self.request(
            .erase(conversation, [target]),
            PendingRequest(reply: reply, settled: { reply.answer(answer) }))
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
