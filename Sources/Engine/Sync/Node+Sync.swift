internal import Crypto
internal import Formats

/// What each side lacks: rooms that both are in, digests, clocks.
///
/// `Docs/Protocol/Sync.md`. The conversations of a frame are shared on its link when it comes here.
extension Node {
    // MARK: Sharing

    /// Begins to share a conversation that both ends are in.
    mutating func share(_ conversation: ConversationID, on id: LinkID) {
        guard !self.links.isShared(conversation, on: id) else { return }
        var names: [UInt64: UInt32] = [:]
        let tags = self.links[id].tags
        let known = self.conversations.table[known: conversation]
        let all = known.logs.keys + known.refused.names
        names.reserveCapacity(all.count)
        for name in all {
            let number = self.conversations.table[known: conversation].numbers.number(of: name)
            names[tags.log(name, in: conversation)] = number
        }
        self.links.share(
            conversation, on: id, ConversationSync(names: names, newsTold: self.catchUp.news.last))
        self.noteDevices(in: conversation)
        self.catchUp.payloadWants.look(at: id, in: conversation, isOfKnown: self.isOfKnown(id))
        self.seekFiles(of: conversation, on: id)
        self.perform(self.groups.exchange(conversation, on: id))
        self.beginDirect(conversation, on: id)
        // Whoever was invited shows by this that they have come.
        if self.isGroup(conversation) { self.changed(.roster(conversation)) }
        self.sendDigest(self.digest(of: conversation), of: conversation, on: id)
        self.tellProfile(on: id)
        self.seekPictures(on: id)
        self.openPresence(on: id)
    }

    /// The log that a tag means on a link; nil where that is not known.
    func logName(_ tag: UInt64, of conversation: ConversationID, on id: LinkID) -> LogName? {
        self.links[id].shared[known: conversation].names[tag].flatMap {
            self.conversations.table[known: conversation].numbers[$0]
        }
    }

    /// Ends sharing a conversation that one end has left.
    mutating func unshare(_ conversation: ConversationID, on id: LinkID) {
        guard self.links.isShared(conversation, on: id) else { return }
        self.endDiscoveries(conversation, on: id) { _ in true }
        self.noteTold(
            self.links[id].shared[known: conversation], of: conversation,
            by: self.links[id].info.peer)
        self.links.unshare(conversation, on: id)
        self.groups.endExchange(conversation, on: id)
        self.conversations.directKeys.endExchange(conversation, on: id)
        self.perform(self.signals.unshared(conversation, on: id, of: &self.links, at: self.now))
        self.endTransfers(of: conversation, on: id)
        self.dropHeldElsewhere(conversation, of: id)
        self.catchUp.payloadWants.drop(conversation, of: id)
        self.links[id].awaited.drop(conversation)
        for key in self.catchUp.fetching.keys(
            of: id, where: { key, _ in key.conversation == conversation })
        {
            self.endFetch(key)
        }
        self.planFetches(in: conversation)
        // Who waits for delivery may now wait for fewer.
        for key in self.receipts.waits.keys(where: { $0 == conversation }) {
            self.checkDeliveries(of: key)
        }
    }

    // MARK: Digests

    private mutating func digest(of conversation: ConversationID) -> ConversationDigest {
        self.conversations.table[known: conversation].digest(
            self.persons.profiles, through: self.clocks.own.latestDue, at: self.now.monotonic)
    }

    private mutating func sendDigest(
        _ digest: ConversationDigest, of conversation: ConversationID, on id: LinkID
    ) {
        self.links[id].shared[known: conversation].digests.noteSent(digest)
        self.links[id].shared[known: conversation].pages.noteDigestSent()
        self.tellAuthor(of: conversation, on: id)
        self.send(.digest(conversation, digest), on: id)
    }

    /// At each look at a link a digest says what has changed since the last one.
    mutating func refreshDigests(on id: LinkID) {
        for conversation in self.links[id].shared.keys.sorted()
        where !self.conversations.isWaitingToBeLetIn(conversation, on: id, of: self.links) {
            let digest = self.digest(of: conversation)
            let isDue = self.links[id].shared[known: conversation]
                .digests.isDue(digest, at: self.now.monotonic)
            if isDue { self.sendDigest(digest, of: conversation, on: id) }
        }
    }

    mutating func receiveDigest(
        _ theirs: ConversationDigest, of conversation: ConversationID, on id: LinkID
    ) {
        let own = self.digest(of: conversation)
        #if MUTANTS
            let theirs = Mutant.takeDigestsForEqual.isActive ? own : theirs
        #endif
        let isEqual = theirs.logs == own.logs
        let answer = self.links[id].shared[known: conversation].digests
            .receive(theirs, own: own, at: self.now.monotonic)
        self.links[id].shared[known: conversation].pages.noteDigestReceived(isEqual: isEqual)
        if isEqual {
            let changes = self.conversations.table[known: conversation].changes
            self.links[id].shared[known: conversation].noteEqual(at: changes)
            self.noteEqual(conversation, on: id) { _ in true }
        }
        switch answer {
        case .equal: break
        case .differs(let logs, let records):
            self.owe(conversation, on: id) { owed in
                owed.logs = owed.logs || logs
                owed.recordClock = owed.recordClock || records
            }
        case .told(let records):
            self.noteDeparture(of: conversation)
            if records { self.owe(conversation, on: id) { $0.recordClock = true } }
        }
        if answer != .equal { self.stir(id) }
        if !isEqual { self.retry(conversation, on: id) }
    }

    /// The peer has all logs of some buckets as they are here: own ones are pushed from there.
    private mutating func noteEqual(
        _ conversation: ConversationID, on id: LinkID, where isEqual: (UInt8) -> Bool
    ) {
        let tags = self.links[id].tags
        for name in self.conversations.table[known: conversation].names(of: self.id) {
            let log = self.conversations.table[known: conversation].log(name)
            guard log.bucket.map(isEqual) ?? false else { continue }
            let row = tags.row(name, log, in: conversation, by: tags.peer)
            let number = self.conversations.table[known: conversation].numbers.number(of: name)
            let isNews = self.links[id].shared[known: conversation].noteEqual(name, number, row)
            guard isNews else { continue }
            let key = LogKey(conversation: conversation, name: name)
            self.notePosition(of: key, on: id)
            self.checkDeliveries(of: key)
        }
        self.noteDeparture(of: conversation)
    }

    /// Notes that a peer has told what it has, maybe of a room that the user has left.
    private mutating func noteDeparture(of conversation: ConversationID) {
        guard self.conversations.table[known: conversation].isDeparting else { return }
        self.links.departing.insert(conversation)
    }

    /// Asks again for what a peer has told of and did not bring.
    private mutating func retry(_ conversation: ConversationID, on id: LinkID) {
        let isDue = self.links[id].shared[known: conversation].digests.retries
            .take(at: self.now.monotonic)
        guard isDue else { return }
        let numbers = self.conversations.table[known: conversation].numbers
        let unsettled = self.links[id].shared[known: conversation].takeUnsettled(numbers)
        for (name, row) in unsettled {
            _ = self.receiveRow(row, of: name, in: conversation, isComplete: true, on: id)
        }
        let isAny = self.links[id].shared[known: conversation].unknown.retry()
        if isAny || !unsettled.isEmpty { self.planFetches(in: conversation, for: id) }
    }

    // MARK: Clocks

    /// Tells what is here of all logs: by buckets or by pages, whichever is shorter.
    mutating func tellLogs(of conversation: ConversationID, on id: LinkID) {
        let hashes = self.conversations.table[known: conversation].bucketHashes()
        let logs = self.conversations.table[known: conversation].logs.count
        guard logs * ClockRow.typicalBytes + 2 * LogBucket.count > 8 * LogBucket.count else {
            self.links[id].shared[known: conversation].pages.noteAllSent(hashes)
            self.links[id].shared[known: conversation].newsTold = self.catchUp.news.last
            return self.owePages(Array(LogBucket.all), of: conversation, on: id)
        }
        let tags = self.links[id].tags
        let empty = tags.bucket(.zero, of: conversation, by: tags.own)
        let all = hashes.map { hash in
            hash == .zero ? empty : tags.bucket(hash, of: conversation, by: tags.own)
        }
        self.send(.buckets(conversation, all), on: id)
    }

    private mutating func owePages(
        _ buckets: [UInt8], of conversation: ConversationID, on id: LinkID
    ) {
        self.owe(conversation, on: id) { owed in
            for bucket in buckets { owed.pages.insert(bucket) }
        }
    }

    /// Sends pages of the own clock that are owed, as many as one frame takes.
    mutating func sendPages(
        _ buckets: [UInt8], of conversation: ConversationID, on id: LinkID
    ) {
        // Looked up once: a call on the node within the loop would copy all of it for each page.
        let known = self.conversations.table[known: conversation]
        let tags = self.links[id].tags
        var pages: [ClockPage] = []
        var bytes = 0
        for bucket in buckets {
            let page = ClockPage(bucket, of: known, as: tags, from: self.id)
            let size = 4 + page.rows.count * ClockRow.mostBytesSent
            if bytes > 0 && bytes + size > Limits.clockFrameBytes { break }
            pages.append(page)
            bytes += size
            self.links[id].shared[known: conversation].owed.pages.remove(bucket)
        }
        self.send(.clock(conversation, pages), on: id)
    }

    mutating func receiveBuckets(
        _ theirs: [UInt64], of conversation: ConversationID, on id: LinkID
    ) {
        let own = self.conversations.table[known: conversation].bucketHashes()
        let tags = self.links[id].tags
        var pages = self.links[id].shared[known: conversation].pages
        let finding = pages.receiveBuckets(theirs, own: own) {
            tags.bucket($0, of: conversation, by: tags.peer)
        }
        self.noteEqual(conversation, on: id) { finding.equal.contains($0) }
        let isAnswered =
            finding.toSend.isEmpty
            || self.links[id].shared[known: conversation].digests.buckets
                .take(at: self.now.monotonic)
        // What was not answered differs after the next digest, too.
        guard isAnswered else { return }
        self.links[id].shared[known: conversation].pages = pages
        self.owePages(finding.toSend, of: conversation, on: id)
    }

    mutating func receiveClock(
        _ pages: [ClockPage], of conversation: ConversationID, on id: LinkID
    ) {
        let own = self.conversations.table[known: conversation].bucketHashes()
        var answers: [UInt8] = []
        defer { self.boundRows(after: pages.reduce(0) { $0 + $1.rows.count }) }
        for page in pages {
            let isLookedAt = self.links[id].shared[known: conversation].digests.pages
                .take(at: self.now.monotonic)
            // What it says comes again after the next digest.
            guard isLookedAt else { break }
            let (isNews, isOther) = self.receivePage(page, of: conversation, on: id)
            let isDue =
                isOther
                && self.links[id].shared[known: conversation].pages
                    .isToAnswer(page.bucket, own: own[Int(page.bucket)], isNews: isNews)
            if isDue { answers.append(page.bucket) }
        }
        self.owePages(answers, of: conversation, on: id)
        self.noteDeparture(of: conversation)
        self.planFetches(in: conversation, for: id)
    }

    /// Takes a page in: says whether the peer had not told the same before, and whether it has
    /// anything else than is here.
    private mutating func receivePage(
        _ page: ClockPage, of conversation: ConversationID, on id: LinkID
    ) -> (isNews: Bool, isOther: Bool) {
        var told: Set<LogName> = []
        var (isNews, isOther) = (false, false)
        for row in page.rows {
            guard let name = self.logName(row.tag, of: conversation, on: id) else {
                let isNew = self.links[id].shared[known: conversation].unknown
                    .receive(row, page: page.bucket)
                (isNews, isOther) = (isNews || isNew, true)
                continue
            }
            told.insert(name)
            let finding = self.receiveRow(
                row, of: name, in: conversation, isComplete: true, on: id)
            isNews = isNews || finding.isNews
            isOther =
                isOther || finding.step != .none || finding.lacksProof
                || !self.isSame(row, as: name, in: conversation)
        }
        let dropped = self.links[id].shared[known: conversation].unknown
            .endPage(page.bucket, page.rows)
        isNews = isNews || dropped
        let numbers = self.conversations.table[known: conversation].numbers
        for name in self.conversations.table[known: conversation].names(in: page.bucket) {
            let log = self.conversations.table[known: conversation].log(name)
            if !told.contains(name) {
                let wasTold = self.links[id].shared[known: conversation]
                    .dropRow(name, log, numbers)
                (isNews, isOther) = (isNews || wasTold, isOther || log.isCounted || log.isRefused)
                if log.forkPoint != nil {
                    self.owe(conversation, on: id) { $0.owe(proof: name) }
                }
            }
            if name.author == self.id {
                self.links[id].shared[known: conversation]
                    .settleFeed(name, head: log.head.seq, numbers)
            }
        }
        self.links[id].shared[known: conversation].pages.noteReceived(page.bucket)
        return (isNews, isOther)
    }

    /// Whether a row says what this node would say of a log; its head is compared apart.
    private func isSame(
        _ row: ClockRow, as name: LogName, in conversation: ConversationID
    ) -> Bool {
        let log = self.conversations.table[known: conversation].log(name)
        return row.seq == log.head.seq && row.state == log.state
    }

    mutating func receiveDelta(
        _ rows: [ClockRow], of conversation: ConversationID, on id: LinkID
    ) {
        defer { self.boundRows(after: rows.count) }
        for row in rows {
            if let name = self.logName(row.tag, of: conversation, on: id) {
                _ = self.receiveRow(row, of: name, in: conversation, isComplete: false, on: id)
            } else {
                _ = self.links[id].shared[known: conversation].unknown.receive(row, page: nil)
            }
        }
        self.noteDeparture(of: conversation)
        // Nothing to ask this peer for, as nearly always in a room where all keep up.
        guard self.links[id].shared[known: conversation].isSeeking else { return }
        self.planFetches(in: conversation, for: id)
    }

    /// Rows have come: forgets what is too much of what strangers have told together.
    private mutating func boundRows(after count: Int) {
        guard self.links.isLookDue(afterRows: count) else { return }
        let strangers = self.links.ids.filter { self.tier(of: self.links[$0].info.peer) < .known }
        self.links.boundUnknown(among: strangers)
        let (own, table) = (self.id, self.conversations.table)
        self.links.boundRemembered(among: strangers) { conversation in
            let known = table[known: conversation]
            return Set(known.names(of: own).compactMap(known.numbers.find))
        }
    }

    private mutating func receiveRow(
        _ row: ClockRow, of name: LogName, in conversation: ConversationID, isComplete: Bool,
        on id: LinkID
    ) -> RowFinding {
        let key = LogKey(conversation: conversation, name: name)
        let log = self.conversations.table[known: conversation].log(name)
        let (tags, isOwn) = (self.links[id].tags, name.author == self.id)
        let number = self.conversations.table[known: conversation].numbers.number(of: name)
        let limit = self.conversations.table[known: conversation].limit(of: name)
        let finding = self.links[id].shared[known: conversation].receiveRow(
            row, of: name, number, log, tags, isOwn: isOwn, isComplete: isComplete, limit: limit)
        if isOwn && finding.isNews { self.ownRowReceived(row, of: key, on: id) }
        // A delta says that there is more, though not where: the first that is lacking may be the same.
        if finding.isNews || !isComplete { self.catchUp.payloadWants.hear(key, on: id) }
        if finding.lacksProof { self.owe(conversation, on: id) { $0.owe(proof: name) } }
        let known = self.conversations.table[known: conversation]
        switch finding.step {
        case .none where known.group?.reads(name) == true && row.seq > known.end(of: name):
            self.seekLater(key, on: id, isComplete: isComplete)
        case .none: break
        case .searchFork: self.searchFork(of: key, on: id)
        case .fetch: self.seekLater(key, on: id, isComplete: isComplete)
        case .feed: self.beginFeed(key, from: row.seq, on: id)
        }
        return finding
    }
}

extension ClockPage {
    /// A page of the own clock of a conversation, as a peer reads it.
    fileprivate init(
        _ bucket: UInt8, of known: Conversation, as tags: LinkTags, from own: PeerID
    ) {
        var rows: [ClockRow] = []
        for name in known.names(in: bucket) {
            #if MUTANTS
                if Mutant.leaveOutOwnLogs.isActive && name.author == own { continue }
            #endif
            let log = known.log(name)
            guard log.isCounted || log.isRefused else { continue }
            rows.append(tags.row(name, log, in: known.id, by: tags.own))
        }
        self.init(bucket: bucket, rows: rows.sorted { $0.tag < $1.tag })
    }
}
