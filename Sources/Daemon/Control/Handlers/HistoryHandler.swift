internal import ControlAPI
internal import Engine
internal import Storage

extension HistoryMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let conversation = try shell.conversation(params.to)
        guard params.before == nil || params.after == nil else {
            throw .invalidParams(
                "\"before\" and \"after\" exclude each other", reason: "conflictingParams",
                remedy: "give one of them, and limit")
        }
        let limit = params.limit.map(Int.init) ?? ControlLimits.historyMessagesDefault
        let anchorText = params.before ?? params.after
        let anchor = anchorText.flatMap { EntryID($0) }
        let isForward = params.after != nil
        let since = params.since.map {
            HybridTime(wallMilliseconds: UInt64(max(0, $0.milliseconds)))
        }
        let budget = reply.byteBudget - 65_536
        shell.look(isSmall: limit <= ReadPace.pageLimit) {
            (store) throws(StoreFailure) -> HistoryPage? in
            var query = HistoryQuery(
                conversation: conversation, limit: limit, since: since, byteLimit: max(budget, 0))
            if let anchor {
                guard let entry = try store.entry(anchor),
                    entry.key.conversation == conversation
                else { return nil }
                let position = DisplayPosition(entry)
                query.direction = isForward ? .after(position) : .before(position)
            }
            return try store.history(query)
        } then: { result in
            switch result {
            case .success(.some(let page)):
                reply.answer(shell.historyResult(page, isForward: isForward, budget: budget))
            case .success(.none):
                reply.fail(
                    .notFound(
                        "there is no message \(anchorText ?? "") in that conversation",
                        reason: "unknownMessage", remedy: "take an id from history"))
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}

extension NodeShell {
    /// Keeps what fits one line, nearest to where the query starts, and at least one message.
    fileprivate func historyResult(
        _ page: HistoryPage, isForward: Bool, budget: Int
    ) -> HistoryMethod.Result {
        var texts = MessageTexts()
        var result = HistoryMethod.Result()
        let keyring = self.node?.keyring ?? Keyring()
        result.messages = page.entries.compactMap { Message($0, by: keyring) }.map {
            self.messageResult($0, &texts)
        }
        result.more = page.hasMore
        // Most pages fit by far, and then nobody has to know by how much.
        if result.messages.reduce(0, { $0 + $1.mostJSONBytes }) <= budget { return result }
        var kept: [MessageResult] = []
        var bytes = 0
        for message in isForward ? result.messages : result.messages.reversed() {
            bytes += message.jsonBytes
            if bytes > budget, !kept.isEmpty { break }
            kept.append(message)
        }
        result.more = page.hasMore || kept.count < result.messages.count
        result.messages = isForward ? kept : kept.reversed()
        return result
    }
}
