package import Formats

/// Payloads that this node does not keep any longer.
///
/// `Docs/Protocol/Entries.md` section 9. Headers, ids, chain and digests stay as they are.
extension Node {
    /// Gives up the payloads of a conversation that are beyond a bound.
    mutating func expire(
        _ bound: RetentionBound, in conversation: ConversationID, _ request: RequestID
    ) {
        guard self.conversations.table[conversation] != nil else {
            return self.answer(request, .failed(.unknownConversation))
        }
        let steps = self.retentionSteps(bound, in: conversation)
        if !self.disk.commits.expiries.begin(request, in: conversation, bound, by: steps) {
            self.answer(request, .failed(.busy))
        }
    }

    /// In which order what is too much goes; what is too old goes by its age alone, whoever wrote it.
    package func retentionSteps(
        _ bound: RetentionBound, in conversation: ConversationID
    ) -> [RetentionStep] {
        guard case .above(let bytes) = bound, bytes > 0,
            let known = self.conversations.table[conversation]
        else { return [] }
        #if MUTANTS
            if Mutant.retainByAge.isActive { return [] }
        #endif
        let tiers = self.tiers(of: Set(known.logs.keys.map(\.author)))
        let claims = known.logs.map { name, log in
            let size = self.conversations.diskShares.bytes(
                of: LogKey(conversation: conversation, name: name))
            let overhead = log.head.seq.multipliedReportingOverflow(by: Limits.entryOverheadBytes)
            return FairShare.Claim(
                key: name, tier: tiers[name.author] ?? .stranger,
                comesFirst: self.links.hasPlace(name.author)
                    || log.charge.marks.isAnswered(at: self.now.wall),
                source: log.charge.source, author: name.author,
                weight: overhead.overflow
                    ? 0 : Int(clamping: size - min(size, overhead.partialValue)),
                number: log.charge.number)
        }
        return RetentionOrder.steps(claims, above: bytes)
    }

    /// A batch is on disk: what it has given up is not asked for, and who waits for it is told.
    mutating func settleExpiry(_ outcome: ExpiryOutcome?) {
        guard let outcome else { return }
        var keys: Set<LogKey> = []
        for entry in outcome.entries where self.catchUp.payloadWants.wants(entry.key) {
            self.catchUp.payloadWants.settle(entry.key, entry.seq...entry.seq)
            keys.insert(entry.key)
        }
        for key in keys.sorted() {
            self.noteWhole(key)
            self.tellWhole(key)
        }
        guard let done = self.disk.commits.expiries.took(outcome) else { return }
        self.answer(done.request, .expired(done.conversation, count: done.count))
    }
}
