internal import ControlAPI
internal import Engine
internal import Storage

extension ConversationsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let all = shell.node?.conversations ?? []
        shell.look(isSmall: all.count <= ReadPace.roomLimit) { (store) throws(StoreFailure) in
            try store.summaries()
        } then: { result in
            switch result {
            case .success(let summaries): reply.answer(shell.list(all, summaries, reply))
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}

extension NodeShell {
    fileprivate func list(
        _ all: [ConversationStatus], _ summaries: [ConversationSummary], _ reply: Reply
    ) -> [ConversationResult] {
        var byID: [ConversationID: ConversationSummary] = [:]
        for summary in summaries { byID[summary.conversation] = summary }
        // One line holds them all: with many conversations only short last messages are shown.
        let share = reply.byteBudget / 2 / max(1, all.count)
        var texts = MessageTexts()
        return all.map { self.conversationResult($0, byID[$0.id], previewBytes: share, &texts) }
    }

    func conversationResult(
        _ status: ConversationStatus, _ summary: ConversationSummary?, previewBytes: Int,
        _ texts: inout MessageTexts
    ) -> ConversationResult {
        let keyring = self.node?.keyring ?? Keyring()
        let last = summary?.lastMessage.flatMap { Message($0, by: keyring) }.map {
            self.messageResult($0, &texts)
        }
        var result = ConversationResult()
        result.id = status.id.description
        let realms = self.nodeRealms
        result.name = realms.text(of: status.room)
        result.realm = realms.name(of: status.room.realm)
        result.room = status.room.name.text
        result.reachable = status.isReachable
        result.members = status.members.map { self.member($0, &texts) }
        result.learning = status.isLearning
        result.unread = Int64(summary?.unread ?? 0)
        result.lastMessage = last.flatMap { $0.jsonBytes <= max(previewBytes, 2_048) ? $0 : nil }
        return result
    }

    private func member(
        _ peer: PeerID, _ texts: inout MessageTexts
    ) -> ConversationResult.Member {
        if let member = texts.members[peer] { return member }
        let member = ConversationResult.Member {
            $0.id = peer.description
            ($0.name, $0.ambiguous) = self.shownName(of: peer)
        }
        texts.members[peer] = member
        return member
    }
}
