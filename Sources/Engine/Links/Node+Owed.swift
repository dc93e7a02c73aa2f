internal import Formats

/// What peers are owed, sent as they take it. `Sync/OwedAnswers.swift`.
extension Node {
    /// Notes that something is owed to a peer, and sends it where nothing waits before it.
    mutating func owe(
        _ conversation: ConversationID, on id: LinkID, _ note: (inout OwedAnswers) -> Void
    ) {
        note(&self.links[id].shared[known: conversation].owed)
        guard !self.links[id].shared[known: conversation].owed.isEmpty else { return }
        self.links[id].service.owing.add(conversation)
        self.pumpOwed(id)
    }

    /// Sends what is owed until something waits for credit, or is read.
    mutating func pumpOwed(_ id: LinkID) {
        while self.links[id].flow.outbox.isEmpty, !self.links[id].service.isReadingProof,
            let turn = self.links[id].service.owing.next()
        {
            guard let conversation = turn else {
                self.payRecords(on: id)
                continue
            }
            // The conversation may have been left since.
            guard self.links.isShared(conversation, on: id),
                let item = self.links[id].shared[known: conversation].owed.next()
            else { continue }
            self.links[id].service.owing.add(conversation)
            self.pay(item, of: conversation, on: id)
        }
    }

    /// Notes that a peer is owed records, and sends them where nothing waits before them.
    mutating func oweRecords(
        _ keys: some Sequence<RecordKey>, of conversation: ConversationID, on id: LinkID
    ) {
        for key in keys {
            self.links[id].service.owedRecords.owe(
                key, of: conversation, isOfKnown: self.isKnown(key.author))
        }
        guard !self.links[id].service.owedRecords.isEmpty else { return }
        self.links[id].service.owing.add(nil)
        self.pumpOwed(id)
    }

    private mutating func payRecords(on id: LinkID) {
        let keys = self.links[id].service.owedRecords.next()
        let records = self.tellable(keys, on: id)
        if !records.isEmpty { self.send(.records(records), on: id) }
        if !self.links[id].service.owedRecords.isEmpty {
            return self.links[id].service.owing.add(nil)
        }
        for conversation in self.links[id].service.owedRecords.takeCut()
        where self.links.isShared(conversation, on: id) {
            self.links[id].shared[known: conversation].digests.tellAgain()
        }
    }

    /// Those of some records that a peer may have: a conversation may have been left since.
    private func tellable(_ keys: [RecordKey], on id: LinkID) -> [Record] {
        keys.compactMap { self.persons.profiles.record($0) }.filter { self.mayTell($0, on: id) }
    }

    private mutating func pay(
        _ item: OwedAnswers.Item, of conversation: ConversationID, on id: LinkID
    ) {
        switch item {
        case .logs: self.tellLogs(of: conversation, on: id)
        case .pages(let buckets): self.sendPages(buckets, of: conversation, on: id)
        case .recordClock: self.sendRecordClock(of: conversation, on: id)
        case .proof(let name):
            let key = LogKey(conversation: conversation, name: name)
            guard self.conversations.table[known: conversation].log(name).forkPoint != nil else {
                return
            }
            self.links[id].service.isReadingProof = true
            self.actions.append(.readProof(self.disk.reads.begin(.proof(id, key)), key))
        }
    }

    /// The proof of a fork has come from the store, where it has one.
    mutating func proofRead(_ read: ReadID, _ proof: ForkProof?) {
        guard case .proof(let id, let key)? = self.disk.reads.end(read) else { return }
        self.links[id].service.isReadingProof = false
        if let proof, self.links.isShared(key.conversation, on: id) {
            self.send(.forkProof(proof), on: id)
        }
        self.pumpOwed(id)
    }

    /// Tells all who share a conversation of a proof that is on disk.
    mutating func spread(_ proof: ForkProof) {
        self.catchUp.forkSearches.provenCount += 1
        let links = self.links.sharing(proof.key.conversation)
        guard !links.isEmpty else { return }
        let frame = Frame.forkProof(proof).encoded
        for id in links {
            if self.links[id].flow.takesNow(frame) {
                self.sendEncoded(frame, on: id)
            } else {
                self.owe(proof.key.conversation, on: id) { $0.owe(proof: proof.key.name) }
            }
        }
    }
}
