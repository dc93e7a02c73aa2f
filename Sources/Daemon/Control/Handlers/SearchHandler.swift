internal import ControlAPI
internal import Engine
internal import Formats
internal import Posix
internal import Storage

extension SearchMethod: MethodHandler {
    /// How long a search waits for messages to be indexed, in milliseconds.
    private static let patienceMilliseconds: UInt64 = 5_000
    private static let hitsDefault = 20

    static func handle(
        _ params: Params, _ reply: Reply, in shell: isolated NodeShell
    ) throws(RPCError) {
        guard let expression = SearchableText.expression(params.words) else {
            throw .invalidParams(
                "there is no word in \"\(TerminalText.line(params.words))\"", reason: "noWords",
                remedy: "give letters, digits or emoji to search for",
                details: [JSON.Member("param", "words")])
        }
        var query = SearchQuery(expression)
        query.sought = SearchableText.sought(params.words)
        query.conversation = try params.to.map { (to) throws(RPCError) in
            try shell.conversation(to)
        }
        for name in params.authors ?? [] {
            let peer = try shell.person(name, for: .look)
            query.authors += shell.node.ask { $0.writingDevices(of: peer) }
        }
        query.since = params.since.map { HybridTime($0) }
        query.until = params.until.map { HybridTime($0) }
        query.order = params.order == .rank ? .rank : .newest
        // One more tells whether there are more.
        query.limit = (params.limit.map { Int($0) } ?? Self.hitsDefault) + 1
        query.offset = Int(params.offset ?? 0)
        let asked = query
        shell.withSearch(within: Self.patienceMilliseconds) { index, isComplete in
            switch index {
            case .success(let index): shell.search(asked, index, isComplete, reply)
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }
}

extension NodeShell {
    /// How long sealed conversations are read through for one search, in milliseconds.
    private static let sealedMilliseconds: UInt64 = 5_000

    /// Which sealed conversations a search is to read through.
    private func sealed(_ query: SearchQuery) -> [ConversationID] {
        // One that was left is searched where it is named, as its history can be read.
        if let named = query.conversation { return self.keyring.isSealed(named) ? [named] : [] }
        let joined = self.node.ask { $0.joinedConversations }
        return joined.filter { $0.value.room == nil }.keys.sorted()
    }

    fileprivate func search(
        _ query: SearchQuery, _ index: SearchIndex, _ isComplete: Bool, _ reply: Reply
    ) {
        let keyring = self.keyring
        let sealed = self.sealed(query)
        self.ask { (store) async throws(StoreFailure) in
            // The first hits of both, put together, begin with the first hits of all.
            var wide = query
            wide.limit = query.offset + query.limit
            wide.offset = 0
            var hits = try await index.search(wide)
            var walk = SealedWalk(sealed, since: query.since, until: query.until)
            let end = SystemClock.monotonicMilliseconds() + Self.sealedMilliseconds
            var left: HybridTime?
            while let next = walk.takeNext(hits, for: wide) {
                let stretch = try await store.searchDocuments(in: next, by: keyring)
                walk.looked(at: next, stretch)
                if !stretch.documents.isEmpty {
                    hits += try await index.search(wide, in: stretch.documents)
                    wide.keepFirst(of: &hits)
                }
                left = walk.newest
                if SystemClock.monotonicMilliseconds() >= end { break }
                left = nil
            }
            let page = hits.dropFirst(query.offset).prefix(query.limit)
            let entries = try await store.entries(page.map(\.id))
            // What a fork has put in dispute since is no text of a message any more.
            let disputed = page.compactMap { entries[$0.id] }.filter { !$0.disputes.isEmpty }
            let texts = disputed.compactMap { SearchDocument($0, by: keyring) }
            let still = texts.isEmpty ? [] : try await index.search(wide, in: texts).map(\.id)
            let gone = Set(disputed.map(\.id)).subtracting(still)
            let found = page.compactMap { hit in
                gone.contains(hit.id) ? nil : entries[hit.id].map { (hit: hit, entry: $0) }
            }
            return (found: found, left: left)
        } then: { result in
            switch result {
            case .success(let (found, left)):
                var answer = self.searchResult(found, query, budget: reply.listBytes)
                answer.complete = isComplete && left == nil
                // The next millisecond, so that nothing of this one is left out.
                answer.unread = left.map { Timestamp(clamping: $0.milliseconds + 1) }
                reply.answer(answer)
            case .failure(let failure): reply.fail(RPCError(failure))
            }
        }
    }

    private func searchResult(
        _ found: [(hit: SearchHit, entry: StoredEntry)], _ query: SearchQuery, budget: Int
    ) -> SearchMethod.Result {
        var result = SearchMethod.Result()
        result.more = found.count == query.limit
        let keyring = self.keyring
        var texts = MessageTexts()
        var bytes = 0
        for (hit, entry) in found.prefix(query.limit - 1) {
            // What was taken back meanwhile, and who is blocked, is not found.
            guard let message = Message(entry, by: keyring), !self.isBlocked(message.author) else {
                continue
            }
            let shown = SearchMethod.Hit {
                $0.message = self.messageResult(message, &texts)
                $0.excerpt = SearchableText.parts(ofExcerpt: hit.excerpt).map { part in
                    SearchMethod.Part {
                        $0.text = part.text
                        $0.match = part.isMatch ? true : nil
                    }
                }
            }
            bytes += shown.message.jsonBytes + 7 * hit.excerpt.utf8.count + 64
            guard bytes <= budget || result.hits.isEmpty else {
                result.more = true
                break
            }
            result.hits.append(shown)
        }
        return result
    }
}
