internal import ControlAPI
internal import Engine
internal import Formats
internal import Storage

extension HistoryMethod: MethodHandler {
    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        let conversation = try shell.conversation(params.to)
        let limit = params.limit.map(Int.init) ?? ControlLimits.historyMessagesDefault
        let reading = HistoryLookUp(
            params, in: conversation, limit: limit, byteLimit: max(reply.byteBudget - 65_536, 0))
        let isWhole = reading.anchor.map { EntryID($0) != nil } ?? true
        let isSmall = limit <= ReadPace.pageLimit && isWhole && params.count != true
        shell.look(isSmall: isSmall) { (store) throws(StoreFailure) in
            try reading.read(store)
        } then: { result in
            switch result {
            case .success(.some(let page)):
                var answer = shell.historyResult(
                    page.page, isForward: reading.isForward, budget: reading.byteLimit)
                answer.older = page.older.map { Int64($0) }
                if reading.anchor == nil {
                    (answer.missing, answer.moreMissing) = shell.missing(in: conversation)
                }
                reply.answer(answer)
            case .success(.none):
                reply.fail(
                    .notFound(
                        "there is no message \(TerminalText.line(reading.anchor ?? "")) in that "
                            + "conversation, or several begin with that",
                        reason: "unknownMessage", remedy: "take an id from stoa history --ids"))
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}

/// What a client wants to read of a conversation.
private struct HistoryLookUp: Sendable {
    let conversation: ConversationID
    let params: HistoryMethod.Params
    let limit: Int
    let byteLimit: Int

    init(
        _ params: HistoryMethod.Params, in conversation: ConversationID, limit: Int, byteLimit: Int
    ) {
        self.params = params
        self.conversation = conversation
        self.limit = limit
        self.byteLimit = byteLimit
    }

    /// The message that is named; nil for none.
    var anchor: String? { self.params.before ?? self.params.after ?? self.params.around }

    /// Whether the page goes on towards newer messages.
    var isForward: Bool { self.params.after != nil || self.params.oldest == true }

    /// The page, and how many messages are older where that is wanted; nil where there is no such
    /// message.
    func read(
        _ store: isolated MessageStore
    ) throws(StoreFailure) -> (page: HistoryPage, older: Int?)? {
        var query = HistoryQuery(
            conversation: self.conversation, limit: self.limit,
            since: self.params.since.map { HybridTime($0) }, byteLimit: self.byteLimit)
        var page: HistoryPage
        if let anchor = self.anchor {
            guard let entry = try self.entry(anchor, store) else { return nil }
            let position = DisplayPosition(entry)
            if self.params.around != nil {
                page = try self.page(around: entry, query, store)
            } else {
                query.direction = self.isForward ? .after(position) : .before(position)
                page = try store.history(query)
            }
        } else {
            query.direction = self.isForward ? .first : .last
            page = try store.history(query)
        }
        guard self.params.count == true, let first = page.entries.first else { return (page, nil) }
        return (
            page,
            try store.count(
                before: DisplayPosition(first), query,
                limit: Int(HistoryMethod.Result.olderLimit) + 1)
        )
    }

    private func entry(
        _ text: String, _ store: isolated MessageStore
    ) throws(StoreFailure) -> StoredEntry? {
        let entry: StoredEntry?
        if let id = EntryID(text) {
            entry = try store.entry(id)
        } else {
            guard let prefix = EntryIDPrefix(text.lowercased()) else { return nil }
            let found = try store.entries(beginning: prefix)
            entry = found.count == 1 ? found.first : nil
        }
        return entry?.key.conversation == self.conversation ? entry : nil
    }

    /// Half of the page before a message, and the rest from it on.
    private func page(
        around entry: StoredEntry, _ query: HistoryQuery, _ store: isolated MessageStore
    ) throws(StoreFailure) -> HistoryPage {
        let position = DisplayPosition(entry)
        var query = query
        query.byteLimit /= 2
        query.limit = self.limit / 2
        query.direction = .before(position)
        var page = try store.history(query)
        query.limit = max(1, self.limit - page.entries.count)
        query.direction = .from(position)
        page.entries += try store.history(query).entries
        return page
    }
}

extension NodeShell {
    /// Keeps what fits one line, nearest to where the query starts, and at least one message.
    fileprivate func historyResult(
        _ page: HistoryPage, isForward: Bool, budget: Int
    ) -> HistoryMethod.Result {
        var texts = MessageTexts()
        var result = HistoryMethod.Result()
        let keyring = self.keyring
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
