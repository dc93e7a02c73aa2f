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
        if case .streams = done.bound, !done.isStreamLeft {
            self.disk.streams.end(done.conversation)
        }
        guard let request = done.request else { return }
        self.answer(request, .expired(done.conversation, count: done.count))
    }

    // MARK: Streams

    /// Looks soon at what streams have brought, if there is any.
    mutating func lookAtStreams() {
        self.disk.commits.expiries.noteStreams(before: self.streamCutOff)
        self.disk.streams.look(
            after: Limits.streamCheckMilliseconds, at: self.now.monotonic)
        self.armStreams()
    }

    /// Looks soon at what streams have brought to a conversation.
    ///
    /// - Parameter isNew: whether data has come, and not only the word that somebody has it.
    mutating func lookAtStreams(in conversation: ConversationID, isNew: Bool = false) {
        self.disk.streams.look(in: conversation, isNew: isNew, at: self.now.monotonic)
        self.armStreams()
    }

    /// Gives up what streams have brought and everybody has, or is too old.
    mutating func streamsDue() {
        for conversation in self.disk.streams.conversations.sorted() {
            let bound = self.streamBound(in: conversation)
            self.disk.commits.expiries.begin(in: conversation, bound)
        }
        self.disk.streams.woke(at: self.now.monotonic)
        self.armStreams()
    }

    private mutating func armStreams() {
        guard let moment = self.disk.streams.nextWakeUp() else { return }
        self.actions.append(.arm(.streams, at: moment))
    }

    private var streamCutOff: HybridTime {
        let kept = self.own.configuration.preferences.streamsKeepMilliseconds
        let now = self.clocks.own.now
        return HybridTime(wallMilliseconds: now > kept ? now - kept : 0)
    }

    /// What of a conversation's streams is to go: of own logs what all other members have who were there
    /// then, and of all what is too old.
    private func streamBound(in id: ConversationID) -> StreamBound {
        var bound = StreamBound(before: self.streamCutOff)
        guard let conversation = self.conversations.table[id] else { return bound }
        let others = conversation.members.filter { $0 != self.id }
        for name in conversation.names(of: self.id) {
            let positions = self.receipts.marks.positions(
                of: LogKey(conversation: id, name: name))
            let readers = StreamReaders(
                others.map { peer in
                    (
                        conversation.attendance[peer]?.time ?? HybridTime(0),
                        positions[peer]?.stored ?? 0
                    )
                })
            if readers.haveAny { bound.received[name] = readers }
        }
        return bound
    }
}
