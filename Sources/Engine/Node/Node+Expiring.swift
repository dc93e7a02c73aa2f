/// Payloads that this node does not keep any longer.
///
/// `Docs/Protocol/Entries.md` section 9. Headers, ids, chain and digests stay as they are.
extension Node {
    /// Gives up the payloads of a conversation that are beyond a bound.
    mutating func expire(
        _ bound: RetentionBound, in conversation: ConversationID, _ request: RequestID
    ) {
        guard self.conversationTable[conversation] != nil else {
            return self.answer(request, .failed(.unknownConversation))
        }
        if !self.commits.expiries.begin(request, in: conversation, bound) {
            self.answer(request, .failed(.busy))
        }
    }

    /// A batch is on disk: what it has given up is not asked for, and who waits for it is told.
    mutating func settleExpiry(_ outcome: ExpiryOutcome?) {
        guard let outcome else { return }
        var keys: Set<LogKey> = []
        for entry in outcome.entries where self.payloadWants.wants(entry.key) {
            self.payloadWants.settle(entry.key, entry.seq...entry.seq)
            keys.insert(entry.key)
        }
        for key in keys.sorted() {
            self.noteWhole(key)
            self.tellWhole(key)
        }
        guard let done = self.commits.expiries.took(outcome) else { return }
        self.answer(done.request, .expired(done.conversation, count: done.count))
    }
}
