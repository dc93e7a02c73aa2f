internal import Crypto

/// Entries that were asked for and are on their way.
struct Fetch: Hashable, Sendable {
    var link: LinkID
    var tag: UInt64
    var through: UInt64
    var deadline: UInt64
}

/// Finding out what each side lacks: digests, then clocks, then wants. `Docs/Protocol/Sync.md`.
extension Node {
    // MARK: Sharing

    mutating func received(_ names: [RoomName], on id: LinkID) {
        for name in names {
            let room = name.conversation
            guard let link = self.links[id], link.rooms[room] == nil else { continue }
            guard link.rooms.count < Limits.roomsPerPeer else { return }
            self.links[id]?.rooms[room] = name
            if self.conversationTable[room]?.isJoined == true { self.share(room, on: id) }
        }
    }

    mutating func share(_ room: ConversationID, on id: LinkID) {
        guard let shared = self.newlyShared(room, on: id) else { return }
        self.links[id]?.shared[room] = shared
        self.sharers[room, default: []].append(id)
        self.sharers[room]?.sort()
        self.sendDigest(of: room, on: id)
    }

    /// A conversation as it begins to be shared; nil where it is already.
    private func newlyShared(_ room: ConversationID, on id: LinkID) -> SharedConversation? {
        guard let link = self.links[id], !link.shared.has(room),
            let conversation = self.conversationTable[room]
        else { return nil }
        var shared = SharedConversation()
        for name in conversation.logs.keys { shared.names[link.tag(name, in: room)] = name }
        shared.newsTold = self.news.last
        return shared
    }

    mutating func forgetSharer(_ id: LinkID, of room: ConversationID) {
        self.sharers[room]?.removeAll { $0 == id }
        if self.sharers[room]?.isEmpty == true { self.sharers[room] = nil }
    }

    mutating func unshare(_ room: ConversationID, on id: LinkID) {
        self.endDiscoveries(room, on: id) { _ in true }
        self.links[id]?.shared[room] = nil
        self.forgetSharer(id, of: room)
        self.links[id]?.serving.removeAll { $0.key.conversation == room }
        for (key, fetch) in self.fetches where fetch.link == id && key.conversation == room {
            self.endFetch(key)
        }
        self.plan(room)
    }

    // MARK: Digests

    private mutating func digest(of room: ConversationID) -> Bytes32? {
        let latest = self.latestDue
        return self.conversationTable[room]?.digest(records: self.profiles, through: latest)
    }

    private mutating func sendDigest(of room: ConversationID, on id: LinkID) {
        guard let digest = self.digest(of: room) else { return }
        self.links[id]?.shared[room]?.digestSent = digest
        self.links[id]?.shared[room]?.isClockSent = false
        self.send(.digest(room, digest), on: id)
    }

    /// At each ping a digest says what has changed since the last one: repairs what deltas missed.
    ///
    /// One that has not changed is sent again, ever more rarely, while the peer's differs: a want may have
    /// been given up, a record may have been ahead of time.
    mutating func refreshDigests(on id: LinkID) {
        let now = self.now.monotonic
        for room in (self.links[id]?.shared.keys.sorted() ?? []) {
            let digest = self.digest(of: room)
            guard let shared = self.links[id]?.shared[room] else { continue }
            if shared.digestSent != digest {
                self.links[id]?.shared[room]?.repair = nil
                self.sendDigest(of: room, on: id)
            } else if shared.digestReceived == digest {
                self.links[id]?.shared[room]?.repair = nil
            } else if let repair = shared.repair {
                guard repair.at <= now else { continue }
                let wait = min(2 * repair.wait, Limits.repairLastMilliseconds)
                self.links[id]?.shared[room]?.repair = (now + wait, wait)
                self.sendDigest(of: room, on: id)
            } else {
                let wait = Limits.repairFirstMilliseconds
                self.links[id]?.shared[room]?.repair = (now + wait, wait)
            }
        }
    }

    mutating func received(_ theirs: Bytes32, of room: ConversationID, on id: LinkID) {
        #if MUTANTS
            let own = Mutant.takeDigestsForEqual.isActive ? self.digest(of: room) : nil
            let theirs = own ?? theirs
        #endif
        guard self.links[id]?.shared.has(room) == true else { return }
        self.links[id]?.shared[room]?.digestReceived = theirs
        if self.digest(of: room) == theirs {
            // Equal digests: the peer has every own log to its end, so new entries may be pushed.
            for (name, log) in self.conversationTable[room]?.logs ?? Table()
            where name.author == self.id {
                self.links[id]?.shared[room]?.fed[name] = log.head.seq
                let row = self.links[id]?.row(name, log, in: room)
                self.links[id]?.shared[room]?.rows[name] = row
                self.checkDeliveries(of: LogKey(conversation: room, name: name))
            }
        } else {
            self.sendClock(of: room, on: id)
        }
    }

    // MARK: Clocks

    private mutating func sendClock(of room: ConversationID, on id: LinkID) {
        for frame in self.clock(of: room, for: id) { self.send(frame, on: id) }
        self.links[id]?.shared[room]?.isClockSent = true
        self.links[id]?.shared[room]?.newsTold = self.news.last
    }

    /// The own complete clock and that of records, as a peer reads them.
    private func clock(of room: ConversationID, for id: LinkID) -> [Frame] {
        guard let link = self.links[id], link.shared.has(room),
            let conversation = self.conversationTable[room]
        else { return [] }
        let counted = conversation.logs.filter { $0.value.head.seq > 0 || $0.value.fork != nil }
        let rows = counted.map { link.row($0.key, $0.value, in: room) }.sorted { $0.tag < $1.tag }
        let records = Set(counted.map(\.key.author)).compactMap { author in
            self.profiles[author].flatMap { record in
                self.isAhead(record.time)
                    ? nil
                    : RecordRow(tag: link.authorTag(author), kind: record.kind, time: record.time)
            }
        }
        return [
            .clock(room, isComplete: true, rows),
            .recordClock(room, records.sorted { $0.tag < $1.tag }),
        ]
    }

    mutating func received(
        _ rows: [ClockRow], of room: ConversationID, isComplete: Bool, on id: LinkID
    ) {
        guard self.links[id]?.shared.has(room) == true else { return }
        if isComplete {
            self.links[id]?.shared[room]?.rows = [:]
            self.links[id]?.shared[room]?.unknown = [:]
            self.links[id]?.shared[room]?.lacking = [:]
        }
        for row in rows {
            if let name = self.links[id]?.shared[room]?.names[row.tag] {
                self.compare(row, with: name, in: room, isComplete: isComplete, on: id)
            } else if row.seq > 0, row.state != .refused,
                (self.links[id]?.shared[room]?.unknown.count ?? 0) < Limits.logsPerConversation
            {
                self.links[id]?.shared[room]?.unknown[row.tag] = row
            }
        }
        if isComplete {
            self.tellProofs(room, on: id)
            self.settleFeeds(room, on: id)
            if self.links[id]?.shared[room]?.isClockSent == false {
                self.sendClock(of: room, on: id)
            }
        } else if self.links[id]?.shared[room]?.isSeeking == false {
            // Nothing to ask this peer for, as nearly always in a room where all keep up.
            return
        }
        self.plan(room)
    }

    private mutating func compare(
        _ row: ClockRow, with name: LogName, in room: ConversationID, isComplete: Bool,
        on id: LinkID
    ) {
        guard let log = self.conversationTable[room]?.log(name) else { return }
        let key = LogKey(conversation: room, name: name)
        self.links[id]?.shared[room]?.rows[name] = row
        if name.author == self.id { self.checkDeliveries(of: key) }
        if let proof = log.fork {
            if row.state != .forked || row.seq > log.head.seq {
                self.send(.forkProof(proof), on: id)
            }
            if row.state != .forked { return }
        }
        if row.state == .refused { return }
        if row.seq == log.head.seq && row.seq > 0
            && row.headTag != self.links[id]?.headTag(log.head.id)
        {
            self.searchFork(of: key, on: id)
        } else if row.seq > log.tail.seq && !log.isBeyondFork(log.tail.seq + 1) {
            self.lack(key, on: id, isComplete: isComplete)
        } else if name.author == self.id && !isComplete {
            self.beginFeed(key, from: row.seq, on: id)
        }
    }

    /// Notes that a peer has more of a log, and when it may be asked.
    ///
    /// The author pushes what is new; whoever else has it is asked only once that had its time.
    private mutating func lack(_ key: LogKey, on id: LinkID, isComplete: Bool) {
        let author = key.name.author
        let pushes =
            !isComplete
            && self.linkOfPeer[author].map { link in
                self.links[link]?.shared.has(key.conversation) == true
            } ?? false
        var notBefore = self.now.monotonic
        if pushes {
            notBefore += Limits.relayMilliseconds
            notBefore += UInt64.random(
                in: 0..<Limits.relayJitterMilliseconds, using: &self.random)
            self.armFetch(at: notBefore)
        }
        self.seek(key, on: id, from: notBefore)
    }

    /// Notes that a peer has more of a log, to be asked for from a moment on.
    mutating func seek(_ key: LogKey, on id: LinkID, from moment: UInt64) {
        self.links[id]?.shared[key.conversation]?.lacking[key.name] = moment
        self.seeking.insert(key.conversation)
    }

    /// Says which own logs the peer has to their end, so that what is new is pushed.
    private mutating func settleFeeds(_ room: ConversationID, on id: LinkID) {
        for (name, log) in self.conversationTable[room]?.logs ?? Table()
        where name.author == self.id {
            let seq = self.links[id]?.shared[room]?.rows[name]?.seq ?? 0
            // What is on its way since the peer wrote its clock counts, too.
            if let fed = self.links[id]?.shared[room]?.fed[name] {
                self.links[id]?.shared[room]?.fed[name] = max(fed, seq)
            } else if seq == log.head.seq {
                self.links[id]?.shared[room]?.fed[name] = seq
            }
        }
    }

    /// Sends the proofs that a peer's clock does not show.
    private mutating func tellProofs(_ room: ConversationID, on id: LinkID) {
        guard let conversation = self.conversationTable[room] else { return }
        for (name, log) in conversation.logs.sorted(by: { $0.key < $1.key }) {
            guard let proof = log.fork, self.links[id]?.shared[room]?.rows[name] == nil
            else { continue }
            self.send(.forkProof(proof), on: id)
        }
    }

    // MARK: Wants

    /// Asks for what is lacking, each log from one peer, the least busy first.
    mutating func plan(_ room: ConversationID) {
        guard let conversation = self.conversationTable[room], conversation.isJoined else { return }
        var candidates: [LogName: [LinkID]] = [:]
        for id in self.links(sharing: room) {
            for (name, notBefore) in self.links[id]?.shared[room]?.lacking ?? [:] {
                let log = conversation.log(name)
                let has = self.links[id]?.shared[room]?.rows[name]?.seq ?? 0
                if has <= log.tail.seq || log.isBeyondFork(log.tail.seq + 1) {
                    self.links[id]?.shared[room]?.lacking[name] = nil
                } else if notBefore <= self.now.monotonic {
                    candidates[name, default: []].append(id)
                }
            }
        }
        for (name, links) in candidates.sorted(by: { $0.key < $1.key }) {
            let key = LogKey(conversation: room, name: name)
            guard self.fetches[key] == nil, self.forkSearches[key] == nil else { continue }
            let free = links.filter { self.links[$0]?.hasFreeWants ?? false }
            if free.isEmpty {
                for id in links { self.links[id]?.lackingWants.add(room) }
            }
            guard
                let id = free.compactMap({ self.links[$0] }).min(by: {
                    ($0.missedWants, $0.openWants, $0.id) < ($1.missedWants, $1.openWants, $1.id)
                })?.id, let tag = self.links[id]?.tag(name, in: room)
            else { continue }
            let from = conversation.log(name).tail.seq + 1
            let has = self.links[id]?.shared[room]?.rows[name]?.seq ?? 0
            self.fetches[key] = self.want(tag, in: room, from: from, through: has, on: id)
        }
        self.discover(room)
    }

    /// Asks one peer for the first entries of logs whose names are not known yet.
    ///
    /// Tags differ from link to link, so only the entries tell whether two peers mean the same log.
    /// So one peer is asked after the other, but for many logs at once, of the beginnings only: the
    /// rest is spread over all peers. One that does not answer holds up nobody for long.
    private mutating func discover(_ room: ConversationID) {
        let links = self.links(sharing: room)
        let asked = links.first { id in
            guard let shared = self.links[id]?.shared[room] else { return false }
            return !shared.discoveries.isEmpty && shared.patience > self.now.monotonic
        }
        for id in asked.map({ [$0] }) ?? links {
            guard let link = self.links[id], let shared = link.shared[room],
                asked != nil || shared.discoveries.isEmpty,
                !shared.unknown.isEmpty,
                // In stretches, since each is chosen from all that are unknown.
                shared.discoveries.count <= Limits.discoveriesPerLink / 2
            else { continue }
            guard link.hasFreeWants else {
                self.links[id]?.lackingWants.add(room)
                continue
            }
            let free = min(
                Limits.wantsPerLink - link.openWants,
                Limits.discoveriesPerLink - shared.discoveries.count)
            let rows = shared.unknown.values
                .filter { shared.discoveries[$0.tag] == nil }
                .sorted { $0.tag < $1.tag }
                .prefix(free)
            guard !rows.isEmpty else { continue }
            let isOnly = rows.count == 1 && shared.discoveries.isEmpty
            for row in rows {
                let through = isOnly ? row.seq : 1
                let fetch = self.want(row.tag, in: room, from: 1, through: through, on: id)
                self.links[id]?.shared[room]?.discoveries[row.tag] = fetch
            }
            let patience = self.now.monotonic + Limits.discoveryMilliseconds
            self.links[id]?.shared[room]?.patience = patience
            self.seeking.insert(room)
            self.armFetch(at: patience)
            return
        }
    }

    mutating func want(
        _ tag: UInt64, in room: ConversationID, from: UInt64, through: UInt64, on id: LinkID
    ) -> Fetch {
        let through = min(through, from + Limits.wantEntries - 1)
        self.links[id]?.beginWant()
        self.send(
            .want(Want(conversation: room, tag: tag, from: from, through: through)), on: id)
        let deadline = self.now.monotonic + Limits.wantMilliseconds
        self.armFetch(at: deadline)
        return Fetch(link: id, tag: tag, through: through, deadline: deadline)
    }

    mutating func endWant(on id: LinkID) {
        self.links[id]?.endWant()
        if self.links[id]?.lackingWants.isEmpty == false { self.freed.insert(id) }
    }

    /// Lets conversations ask that had to wait for the wants of others.
    mutating func planFreed() {
        while let id = self.freed.min() {
            self.freed.remove(id)
            // Who cannot ask for all that it lacks is at the end of the turns again, and then no want
            // is free.
            while self.links[id]?.hasFreeWants == true,
                let room = self.links[id]?.lackingWants.next()
            {
                self.plan(room)
            }
        }
    }

    /// Wakes the node for what is next in asking; an earlier wake-up stands.
    mutating func armFetch(at moment: UInt64) {
        guard self.fetchArmedAt.map({ moment < $0 }) ?? true else { return }
        self.fetchArmedAt = moment
        self.actions.append(.arm(.fetch, at: moment))
    }

    mutating func endFetch(_ key: LogKey) {
        guard let fetch = self.fetches.removeValue(forKey: key) else { return }
        self.endWant(on: fetch.link)
    }

    private mutating func endDiscoveries(
        _ room: ConversationID, on id: LinkID, where isOver: (Fetch) -> Bool
    ) {
        for (tag, fetch) in self.links[id]?.shared[room]?.discoveries ?? [:] where isOver(fetch) {
            self.endWant(on: id)
            self.links[id]?.shared[room]?.discoveries[tag] = nil
            self.links[id]?.shared[room]?.unknown[tag] = nil
        }
    }

    /// Gives what a link that is gone was asked for to others.
    mutating func dropFetches(of link: Link) {
        let id = link.id
        var rooms = Set(link.shared.filter { !$0.value.discoveries.isEmpty }.map(\.key))
        for (key, fetch) in self.fetches where fetch.link == id {
            self.fetches[key] = nil
            rooms.insert(key.conversation)
        }
        for (key, search) in self.forkSearches where search.link == id {
            self.forkSearches[key] = nil
        }
        for room in rooms.sorted() { self.plan(room) }
    }

    /// Gives up wants that are not served and asks for what had to wait.
    mutating func fetchDue() {
        self.fetchArmedAt = nil
        var rooms: Set<ConversationID> = []
        for (key, fetch) in self.fetches where fetch.deadline <= self.now.monotonic {
            self.endFetch(key)
            self.links[fetch.link]?.missedWants += 1
            self.links[fetch.link]?.shared[key.conversation]?.lacking[key.name] = nil
            rooms.insert(key.conversation)
        }
        for (key, search) in self.forkSearches where search.deadline <= self.now.monotonic {
            self.forkSearches[key] = nil
        }
        for room in self.seeking {
            rooms.insert(room)
            for id in self.links(sharing: room) {
                let now = self.now.monotonic
                self.endDiscoveries(room, on: id) { $0.deadline <= now }
            }
        }
        self.seeking = []
        for room in rooms.sorted() { self.plan(room) }
        var deadlines: [UInt64] = []
        for room in rooms {
            for id in self.links(sharing: room) {
                guard let shared = self.links[id]?.shared[room] else { continue }
                deadlines += shared.lacking.values
                deadlines += shared.discoveries.values.map(\.deadline)
                if !shared.discoveries.isEmpty { deadlines.append(shared.patience) }
                if !shared.lacking.isEmpty || !shared.discoveries.isEmpty {
                    self.seeking.insert(room)
                }
            }
        }
        deadlines += self.fetches.values.map(\.deadline)
        deadlines += self.forkSearches.values.map(\.deadline)
        if let next = deadlines.filter({ $0 > self.now.monotonic }).min() {
            self.armFetch(at: next)
        }
    }

    mutating func unavailable(_ tag: UInt64, in room: ConversationID, on id: LinkID) {
        for (key, fetch) in self.fetches where fetch.link == id && fetch.tag == tag {
            self.endFetch(key)
            self.links[id]?.shared[room]?.lacking[key.name] = nil
            self.links[id]?.shared[room]?.rows[key.name] = nil
        }
        self.endDiscoveries(room, on: id) { $0.tag == tag }
        for (key, search) in self.forkSearches
        where search.link == id && search.theirs == nil && key.conversation == room
            && self.links[id]?.tag(key.name, in: room) == tag
        {
            self.forkSearches[key] = nil
            self.links[id]?.shared[room]?.lacking[key.name] = nil
        }
        self.plan(room)
    }
}
