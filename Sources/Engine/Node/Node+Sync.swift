internal import Crypto

/// What each side lacks: rooms that both are in, digests, clocks.
///
/// `Docs/Protocol/Sync.md`. The conversations of a frame are shared on its link when it comes here.
extension Node {
    // MARK: Sharing

    mutating func receiveRooms(_ names: [RoomName], on id: LinkID) {
        for name in names {
            let conversation = name.conversation
            guard self.links[id].rooms[conversation] == nil else { continue }
            guard self.links[id].rooms.count < Limits.roomsPerPeer else { return }
            self.links[id].rooms[conversation] = name
            if self.conversationTable[conversation]?.isShared == true {
                self.share(conversation, on: id)
            }
        }
    }

    mutating func receiveRoomsLeft(_ conversations: [ConversationID], on id: LinkID) {
        for conversation in conversations {
            self.links[id].rooms[conversation] = nil
            self.unshare(conversation, on: id)
        }
    }

    /// Begins to share a conversation that both ends are in.
    mutating func share(_ conversation: ConversationID, on id: LinkID) {
        guard !self.links.isShared(conversation, on: id) else { return }
        var names: [UInt64: LogName] = [:]
        let tags = self.links[id].tags
        for name in self.conversationTable[known: conversation].logs.keys {
            names[tags.log(name, in: conversation)] = name
        }
        self.links.share(
            conversation, on: id, ConversationSync(names: names, newsTold: self.news.last))
        self.sendDigest(self.digest(of: conversation), of: conversation, on: id)
    }

    /// Ends sharing a conversation that one end has left.
    mutating func unshare(_ conversation: ConversationID, on id: LinkID) {
        guard self.links.isShared(conversation, on: id) else { return }
        self.endDiscoveries(conversation, on: id) { _ in true }
        self.links.unshare(conversation, on: id)
        for key in self.fetching.keys(of: id, where: { key, _ in key.conversation == conversation })
        {
            self.endFetch(key)
        }
        self.planFetches(in: conversation)
        // Who waits for delivery may now wait for fewer.
        for key in self.deliveries.keys where key.conversation == conversation {
            self.checkDeliveries(of: key)
        }
    }

    // MARK: Digests

    private mutating func digest(of conversation: ConversationID) -> Bytes32 {
        let latest = self.time.latestDue
        return self.conversationTable[known: conversation].digest(
            records: self.profiles.standing, through: latest)
    }

    private mutating func sendDigest(
        _ digest: Bytes32, of conversation: ConversationID, on id: LinkID
    ) {
        self.links[id].shared[known: conversation].noteDigestSent(digest)
        self.send(.digest(conversation, digest), on: id)
    }

    /// At each ping a digest says what has changed since the last one.
    mutating func refreshDigests(on id: LinkID) {
        for conversation in self.links[id].shared.keys.sorted() {
            let digest = self.digest(of: conversation)
            let isDue = self.links[id].shared[known: conversation]
                .isDigestDue(digest, at: self.now.monotonic)
            if isDue { self.sendDigest(digest, of: conversation, on: id) }
        }
    }

    mutating func receiveDigest(
        _ theirs: Bytes32, of conversation: ConversationID, on id: LinkID
    ) {
        let own = self.digest(of: conversation)
        #if MUTANTS
            let theirs = Mutant.takeDigestsForEqual.isActive ? own : theirs
        #endif
        guard self.links[id].shared[known: conversation].receiveDigest(theirs, own: own) else {
            return self.sendClock(of: conversation, on: id)
        }
        // The peer has every own log to its end.
        for (name, log) in self.conversationTable[known: conversation].logs
        where name.author == self.id {
            let row = self.links[id].tags.row(name, log, in: conversation)
            self.links[id].shared[known: conversation].noteEqual(name, row)
            self.checkDeliveries(of: LogKey(conversation: conversation, name: name))
        }
        self.noteDeparture(of: conversation)
    }

    /// Notes that a peer has told what it has, maybe of a room that the user has left.
    private mutating func noteDeparture(of conversation: ConversationID) {
        guard self.conversationTable[known: conversation].isDeparting else { return }
        self.links.departing.insert(conversation)
    }

    // MARK: Clocks

    private mutating func sendClock(of conversation: ConversationID, on id: LinkID) {
        for frame in self.clock(of: conversation, for: self.links[id].tags) {
            self.send(frame, on: id)
        }
        self.links[id].shared[known: conversation].noteClockSent(news: self.news.last)
    }

    /// The own complete clock and that of records, as a peer reads them.
    private func clock(of conversation: ConversationID, for tags: LinkTags) -> [Frame] {
        let logs = self.conversationTable[known: conversation].logs
        let counted = logs.filter { $0.value.head.seq > 0 || $0.value.fork != nil }
        let rows = counted.map { tags.row($0.key, $0.value, in: conversation) }
        let records = Set(counted.map(\.key.author)).compactMap { author -> RecordRow? in
            guard let record = self.profiles.record(of: author), !self.time.isAhead(record.time)
            else {
                return nil
            }
            return RecordRow(tag: tags.author(author), kind: record.kind, time: record.time)
        }
        return [
            .clock(conversation, isComplete: true, rows.sorted { $0.tag < $1.tag }),
            .recordClock(conversation, records.sorted { $0.tag < $1.tag }),
        ]
    }

    mutating func receiveClock(
        _ rows: [ClockRow], of conversation: ConversationID, isComplete: Bool, on id: LinkID
    ) {
        if isComplete { self.links[id].shared[known: conversation].beginClock() }
        for row in rows {
            if let name = self.links[id].shared[known: conversation].names[row.tag] {
                self.receiveRow(row, of: name, in: conversation, isComplete: isComplete, on: id)
            } else {
                self.links[id].shared[known: conversation].receiveUnknown(row)
            }
        }
        self.noteDeparture(of: conversation)
        if isComplete {
            self.clockCompleted(conversation, on: id)
        } else if !self.links[id].shared[known: conversation].isSeeking {
            // Nothing to ask this peer for, as nearly always in a room where all keep up.
            return
        }
        self.planFetches(in: conversation)
    }

    private mutating func receiveRow(
        _ row: ClockRow, of name: LogName, in conversation: ConversationID, isComplete: Bool,
        on id: LinkID
    ) {
        let key = LogKey(conversation: conversation, name: name)
        let log = self.conversationTable[known: conversation].log(name)
        let (tags, isOwn) = (self.links[id].tags, name.author == self.id)
        let finding = self.links[id].shared[known: conversation].receiveRow(
            row, of: name, log, tags, isOwn: isOwn, isComplete: isComplete)
        if isOwn { self.checkDeliveries(of: key) }
        if let proof = finding.proof { self.send(.forkProof(proof), on: id) }
        switch finding.step {
        case .none: break
        case .searchFork: self.searchFork(of: key, on: id)
        case .fetch: self.seekLater(key, on: id, isComplete: isComplete)
        case .feed: self.beginFeed(key, from: row.seq, on: id)
        }
    }

    /// A complete clock has come: tells proofs that it does not show, and says which own logs the
    /// peer has to their end, so that what is new is pushed.
    private mutating func clockCompleted(_ conversation: ConversationID, on id: LinkID) {
        let logs = self.conversationTable[known: conversation].logs.sorted { $0.key < $1.key }
        for (name, log) in logs {
            if let proof = log.fork, !self.links[id].shared[known: conversation].hasRow(name) {
                self.send(.forkProof(proof), on: id)
            }
            if name.author == self.id {
                self.links[id].shared[known: conversation]
                    .settleFeed(name, head: log.head.seq)
            }
        }
        if !self.links[id].shared[known: conversation].isClockSent {
            self.sendClock(of: conversation, on: id)
        }
    }
}
