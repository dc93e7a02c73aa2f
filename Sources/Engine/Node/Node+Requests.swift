internal import Crypto

/// What users ask for: rooms, messages, profile.
extension Node {
    mutating func requested(_ what: Request, _ request: RequestID) {
        switch what {
        case .join(let name): self.join(name, request)
        case .leave(let conversation): self.leave(conversation, request)
        case .send(let outgoing): self.send(outgoing, request)
        case .connect(let address, let key, let deadline):
            self.perform(
                self.dialling.connect(
                    address, expecting: key, request, by: deadline, at: self.now))
        case .profile(let name, let status):
            let now = self.profile(of: self.id)
            let profile = Profile(name: name ?? now.name, status: status ?? now.status)
            guard profile.isWithinLimits else {
                self.fail(request, .size(limit: Limits.statusBytes))
                return
            }
            self.setProfile(profile, request: request)
        }
    }

    private mutating func fail(_ request: RequestID, _ error: RequestError) {
        self.actions.append(.answer(request, .failed(error)))
    }

    // MARK: Rooms

    /// Whether the user is in a room, counting what is on its way to the disk.
    private func isOrWillBeJoined(_ id: ConversationID) -> Bool {
        self.commitQueue.membership[id]?.isJoined ?? self.inFlight?.batch.membership[id]?.isJoined
            ?? self.conversationTable[id]?.isJoined ?? false
    }

    private mutating func join(_ name: RoomName, _ request: RequestID) {
        let id = name.conversation
        if self.conversationTable[id]?.isJoined == true && self.isOrWillBeJoined(id) {
            self.actions.append(.answer(request, .joined(id)))
            return
        }
        guard
            self.conversationTable[id] != nil
                || self.conversationTable.count < Limits.conversations
        else { return self.fail(request, .tooManyRooms) }
        if self.conversationTable[id] == nil {
            self.conversationTable[id] = Conversation(id: id, name: name, isJoined: false)
        }
        self.commitQueue.membership[id] = RoomMembership(name: name, isJoined: true)
        self.commitQueue.drafts.append(
            Draft(conversation: id, content: .join(name), request: request, outgoing: nil))
    }

    private mutating func leave(_ id: ConversationID, _ request: RequestID) {
        guard let conversation = self.conversationTable[id] else {
            return self.fail(request, .unknownConversation)
        }
        guard self.isOrWillBeJoined(id) else { return self.fail(request, .notMember) }
        self.commitQueue.membership[id] = RoomMembership(name: conversation.name, isJoined: false)
        self.commitQueue.drafts.append(
            Draft(conversation: id, content: .leave, request: request, outgoing: nil))
    }

    /// Joins and leaves that are on disk: peers are told.
    mutating func settleMembership(_ membership: [ConversationID: RoomMembership]) {
        for (id, change) in membership.sorted(by: { $0.key < $1.key }) {
            let was = self.conversationTable[id]?.isJoined ?? false
            self.conversationTable[id]?.isJoined = change.isJoined
            guard was != change.isJoined else { continue }
            for link in self.links.keys.sorted() {
                if change.isJoined {
                    self.send(.rooms([change.name]), on: link)
                    if self.links[link]?.rooms[id] != nil { self.share(id, on: link) }
                } else {
                    self.send(.roomsLeft([id]), on: link)
                    self.unshare(id, on: link)
                }
            }
        }
    }

    // MARK: Messages

    private mutating func send(_ outgoing: Outgoing, _ request: RequestID) {
        guard self.conversationTable[outgoing.conversation] != nil else {
            return self.fail(request, .unknownConversation)
        }
        guard self.isOrWillBeJoined(outgoing.conversation) else {
            return self.fail(request, .notMember)
        }
        guard (1...Limits.textBytes).contains(outgoing.text.utf8.count) else {
            return self.fail(request, .size(limit: Limits.textBytes))
        }
        guard self.commitQueue.drafts.count < Limits.waitingDrafts else {
            return self.fail(request, .busy)
        }
        guard let key = outgoing.idempotencyKey else { return self.enqueue(outgoing, request) }
        #if MUTANTS
            if Mutant.sendAgainUnderAKey.isActive { return self.enqueue(outgoing, request) }
        #endif
        if self.keys.join(key, request) { return }
        if let sent = self.keys.recent(key) {
            self.actions.append(.answer(request, .sent(sent, isDuplicate: true, deliveredTo: [])))
            return
        }
        self.lookUps[request] = outgoing
        self.actions.append(.lookUp(request, key: key))
    }

    mutating func lookedUp(_ request: RequestID, _ sent: SentMessage?) {
        guard let outgoing = self.lookUps.removeValue(forKey: request),
            let key = outgoing.idempotencyKey
        else { return }
        // Another send with the key may have come first while this one was looked up.
        if self.keys.join(key, request) { return }
        if let sent = self.keys.recent(key) ?? sent {
            self.actions.append(.answer(request, .sent(sent, isDuplicate: true, deliveredTo: [])))
        } else {
            self.keys.begin(key)
            self.enqueue(outgoing, request)
        }
    }

    private mutating func enqueue(_ outgoing: Outgoing, _ request: RequestID) {
        self.commitQueue.drafts.append(
            Draft(
                conversation: outgoing.conversation, content: .text(outgoing.text),
                request: request, outgoing: outgoing))
    }

    // MARK: Delivery

    mutating func awaitDelivery(_ delivery: Delivery) {
        self.deliveries.add(delivery)
        self.checkDeliveries(of: delivery.key)
        self.armDeliveries(at: delivery.deadline)
    }

    /// How far each linked peer in the room is known to have a log.
    private func holders(of key: LogKey) -> [(peer: PeerID, seq: UInt64)] {
        self.links(sharing: key.conversation).compactMap { id in
            guard let link = self.links[id], let shared = link.shared[key.conversation] else {
                return nil
            }
            var seq = shared.rows[key.name]?.seq ?? 0
            #if MUTANTS
                if Mutant.takeSentForDelivered.isActive {
                    seq = max(seq, shared.fed[key.name] ?? 0)
                }
            #endif
            return (link.info.peer, seq)
        }
    }

    /// Answers the waits that have what they wait for: every linked peer in the room has it, at least one.
    mutating func checkDeliveries(of key: LogKey) {
        guard !self.deliveries.isEmpty(for: key) else { return }
        let holders = self.holders(of: key)
        guard let seq = holders.map(\.seq).min() else { return }
        let peers = holders.map(\.peer).sorted()
        for delivery in self.deliveries.remove(of: key, through: seq) {
            self.actions.append(
                .answer(
                    delivery.request,
                    .sent(delivery.message, isDuplicate: false, deliveredTo: peers)))
        }
    }

    mutating func deliveriesDue() {
        self.deliveryArmedAt = nil
        for delivery in self.deliveries.removeDue(at: self.now.monotonic) {
            let have = self.holders(of: delivery.key).filter { $0.seq >= delivery.seq }
            self.actions.append(
                .answer(
                    delivery.request,
                    .failed(
                        .deliveryTimeout(
                            delivery.message, deliveredTo: have.map(\.peer).sorted()))))
        }
        if let next = self.deliveries.firstDeadline { self.armDeliveries(at: next) }
    }

    private mutating func armDeliveries(at deadline: UInt64) {
        guard self.deliveryArmedAt.map({ deadline < $0 }) ?? true, self.deliveries.count > 0 else {
            return
        }
        self.deliveryArmedAt = deadline
        self.actions.append(.arm(.delivery, at: deadline))
    }

    // MARK: Profile and records

    mutating func setProfile(_ profile: Profile, request: RequestID?) {
        let last = self.record(of: self.id)
        var time = HybridTime(wallMilliseconds: self.now.wall)
        // One from a clock that ran ahead is ignored by everybody: it is not to be outdone.
        if let next = last?.time.next, !self.isAhead(next) { time = max(time, next) }
        self.commitQueue.records[self.id] = Record(
            kind: Record.Kind.profile, author: self.id, conversation: nil, time: time,
            value: profile.encoded, signer: self.signer)
        if let request { self.commitQueue.profileRequests.append(request) }
    }

    /// A record that is on disk: it stands, and linked peers who may know its author get it.
    mutating func settleRecord(_ record: Record) {
        self.profiles[record.author] = record
        for id in self.conversationTable.keys.sorted()
        where self.conversationTable[id]?.logs.keys.contains(where: { $0.author == record.author })
            == true
        {
            self.conversationTable[id]?.recordsChanged()
        }
        for link in self.links.keys.sorted() {
            guard let state = self.links[link], state.info.peer != record.author else { continue }
            let isShared = state.shared.keys.contains { id in
                self.knows(record.author, in: id)
            }
            if record.author == self.id || isShared { self.send(.records([record]), on: link) }
        }
    }

    func knows(_ author: PeerID, in conversation: ConversationID) -> Bool {
        self.conversationTable[conversation]?.logs.keys.contains { $0.author == author } ?? false
    }

    mutating func received(_ records: [Record], on link: LinkID) {
        for record in records {
            let standing = self.record(of: record.author)
            // What stands here was verified when it came.
            guard record != standing else { continue }
            guard record.isValid else {
                return self.violation(link, "forged record of \(record.author.shortText)")
            }
            guard record.kind == Record.Kind.profile, record.conversation == nil,
                self.takesPlace(record, of: standing), !self.isAhead(record.time),
                record.profile != nil, let state = self.links[link]
            else { continue }
            if record.author == state.info.peer
                || state.shared.keys.contains(where: { self.knows(record.author, in: $0) })
            {
                self.commitQueue.records[record.author] = record
            } else {
                self.links[link]?.keepEarly(record)
                self.earlyHolders.insert(link)
            }
        }
    }

    /// The record of an author that will stand once all is on disk.
    private func record(of author: PeerID) -> Record? {
        self.commitQueue.records[author]
            ?? self.inFlight?.batch.records.first { $0.author == author }
            ?? self.profiles[author]
    }

    /// Whether a record stands instead of the one that is here; one that is ahead of time does not
    /// stand.
    private func takesPlace(_ record: Record, of standing: Record?) -> Bool {
        guard let standing else { return true }
        return record.supersedes(standing) || self.isAhead(standing.time)
    }

    /// Takes on the record that a peer sent before the first entry of its author.
    ///
    /// Records answer a clock at once, entries only the wants that follow it.
    mutating func takeEarlyRecord(of author: PeerID) {
        for id in self.earlyHolders.sorted() {
            let record = self.links[id]?.earlyRecords.removeValue(forKey: author)
            if self.links[id]?.earlyRecords.isEmpty ?? true { self.earlyHolders.remove(id) }
            guard let record else { continue }
            if self.takesPlace(record, of: self.record(of: author)) {
                self.commitQueue.records[author] = record
            }
        }
    }

    mutating func received(_ rows: [RecordRow], of id: ConversationID, on link: LinkID) {
        guard let state = self.links[link], state.shared.has(id),
            let conversation = self.conversationTable[id]
        else { return }
        let theirs = Dictionary(
            rows.filter { $0.kind == Record.Kind.profile }.map { ($0.tag, $0.time) },
            uniquingKeysWith: { first, _ in first })
        var newer: [Record] = []
        for author in Set(conversation.logs.keys.map(\.author)).sorted() {
            guard let record = self.profiles[author], !self.isAhead(record.time) else { continue }
            let time = theirs[state.authorTag(author)]
            if time.map({ $0 < record.time }) ?? true { newer.append(record) }
        }
        for start in stride(from: 0, to: newer.count, by: 64) {
            self.send(.records(Array(newer[start..<min(start + 64, newer.count)])), on: link)
        }
    }
}
