internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

extension ConversationsMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let cut = try params.cut(of: "conversations")
        let count = shell.node.ask { $0.joinedConversations.count }
        let authors = shell.node.ask { $0.topicAuthors }
        shell.look(isSmall: count <= ReadPace.roomLimit) { (store) throws(StoreFailure) in
            try store.summaries(topicsBy: authors)
        } then: { result in
            switch result {
            case .success(let summaries): reply.answer(shell.list(summaries, cut, reply))
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}

extension ConversationResult.Kind {
    /// The same in the words of the API.
    init(_ kind: ConversationKind) {
        self =
            switch kind {
            case .room: .room
            case .direct: .direct
            case .secret: .secret
            case .group: .group
            }
    }
}

extension NodeShell {
    fileprivate func list(
        _ summaries: [ConversationSummary], _ cut: PageCut, _ reply: Reply
    ) -> Page<ConversationResult> {
        var byID: [ConversationID: ConversationSummary] = [:]
        for summary in summaries { byID[summary.conversation] = summary }
        // What was joined or left while the store was read is so.
        let joined = self.node.ask { $0.joinedConversations }
        let looks = self.node.ask { $0.roomLooks }
        var texts = MessageTexts()
        return cut.page(of: joined, byteLimit: reply.listBytes) { id, kind in
            PagePlace(rank: 0, name: self.name(of: id), id)
        } element: { id, _ in
            self.conversationResult(id, byID[id], &texts, looks: looks) ?? ConversationResult()
        }
    }

    /// What clients are told of a conversation that the user is in; nil where that is none.
    func conversationResult(
        _ id: ConversationID, _ summary: ConversationSummary?, _ texts: inout MessageTexts,
        looks: RoomLooks? = nil
    ) -> ConversationResult? {
        guard let status = self.node.ask({ $0.conversationStatus(of: id) }) else { return nil }
        let keyring = self.keyring
        let last = summary?.lastMessage.flatMap { Message($0, by: keyring) }
        var result = ConversationResult()
        result.id = status.id.description
        result.kind = ConversationResult.Kind(status.kind)
        result.name = self.name(of: id)
        result.realm = status.kind.realm.map { self.nodeRealms.name(of: $0) }
        result.room = status.kind.room?.name.text ?? status.kind.secretRoom?.name.text
        if self.node.ask({ $0.sharesName(status.kind) }) { result.ambiguous = true }
        if let room = status.kind.room {
            let looks = looks ?? self.node.ask { $0.roomLooks }
            result.looksLike = looks.names(of: room, in: self.nodeRealms)
        }
        result.person = status.kind.direct?.device.description
        result.reachable = status.isReachable
        result.members = Int64(status.people)
        result.learning = status.isLearning
        result.unread = Int64(summary?.unread ?? 0)
        result.mentions = Int64(summary?.mentions ?? 0)
        result.muted = status.arrangement.contains(.muted) ? true : nil
        result.archived = status.arrangement.contains(.archived) ? true : nil
        result.retainDays = status.retention.days.map { Int64($0) }
        result.retainBytes = status.retention.bytes.map { Int64(clamping: $0) }
        result.topic = summary?.topic.flatMap { Message($0, by: keyring)?.content.topic }
        result.firstUnread = summary?.firstUnread?.description
        result.secret = keyring.isSealed(id) ? true : nil
        result.lastMessage = last.map { self.messageResult($0, &texts) }
        return result
    }
}
