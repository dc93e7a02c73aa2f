/// Asking for what this node lacks: which peer, what, and when to ask another one.
extension Node {
    /// Notes that a peer has more of a log, to be asked for once the author has had its time.
    ///
    /// The author pushes what is new; whoever else has it is asked only after that.
    mutating func seekLater(_ key: LogKey, on id: LinkID, isComplete: Bool) {
        let author = self.links.id(of: key.name.author)
        let isPushed =
            !isComplete && author.map { self.links.isShared(key.conversation, on: $0) } ?? false
        var moment = self.now.monotonic
        if isPushed {
            moment += Limits.relayMilliseconds
            moment += UInt64.random(in: 0..<Limits.relayJitterMilliseconds, using: &self.random)
            self.armFetching(at: moment)
        }
        self.seek(key, on: id, from: moment)
    }

    /// Notes that a peer has more of a log, to be asked for from a moment on.
    mutating func seek(_ key: LogKey, on id: LinkID, from moment: UInt64) {
        self.links[id].shared[known: key.conversation].lack(key.name, from: moment)
        self.fetching.seek(key.conversation)
    }

    /// Asks for what is lacking, each log from one peer, the least busy first.
    mutating func planFetches(in conversation: ConversationID) {
        guard let known = self.conversationTable[conversation], known.refusesLogs else {
            return
        }
        for (name, links) in self.lacking(in: known).sorted(by: { $0.key < $1.key }) {
            let key = LogKey(conversation: conversation, name: name)
            let slow = self.fetching.fetch(of: key)
            // Who may show another history is asked for the place where they part.
            let links = links.filter {
                !self.forkSearches.isSearching(key, on: $0)
                    && slow?.mayBeAsked(of: $0, at: self.now.monotonic) ?? true
            }
            let free = links.filter { self.links[$0].wants.free > 0 }
            if free.isEmpty {
                for id in links { self.links[id].wants.wait(conversation) }
            }
            let first = free.min { left, right in
                let (one, other) = (self.links[left].wants, self.links[right].wants)
                return (one.missed, one.open, left) < (other.missed, other.open, right)
            }
            guard let id = first else { continue }
            let tag = self.links[id].tags.log(name, in: conversation)
            let has = self.links[id].shared[known: conversation].seq(of: name, known.numbers)
            let from = known.log(name).tail.seq + 1
            var fetch = self.sendWant(tag, in: conversation, from: from, through: has, on: id)
            if let slow {
                // What still comes of it is taken; who is slow comes after all others from now on.
                self.endFetch(key)
                self.links[slow.link].wants.miss()
                fetch.slow = slow.slow.union([slow.link])
            }
            self.fetching.begin(key, fetch)
        }
        self.discover(in: conversation)
    }

    /// The links that have more of a log and may be asked for it.
    private mutating func lacking(in conversation: Conversation) -> [LogName: [LinkID]] {
        var found: [LogName: [LinkID]] = [:]
        let now = self.now.monotonic
        self.links.visit(conversation.id) { id, sync in
            for name in sync.takeable(in: conversation, at: now) {
                found[name, default: []].append(id)
            }
        }
        return found
    }

    /// Asks one peer for the first entries of logs whose names are not known yet.
    ///
    /// Tags differ from link to link, so only the entries tell whether two peers mean the same log.
    /// So one peer is asked after the other, but for many logs at once, of the beginnings only: the
    /// rest is spread over all peers. One that does not answer holds up nobody for long.
    private mutating func discover(in conversation: ConversationID) {
        let now = self.now.monotonic
        var asked: LinkID?
        var able: [(id: LinkID, isAsked: Bool)] = []
        self.links.visit(conversation) { id, sync in
            if asked == nil, sync.unknown.isPatient(at: now) { asked = id }
            // In stretches, since each is chosen from all that are unknown.
            if !sync.unknown.isEmpty,
                sync.unknown.discoveries.count <= Limits.discoveriesPerLink / 2
            {
                able.append((id, !sync.unknown.discoveries.isEmpty))
            }
        }
        for (id, isAsked) in able where asked.map({ $0 == id }) ?? !isAsked {
            let free = self.links[id].wants.free
            guard free > 0 else {
                self.links[id].wants.wait(conversation)
                continue
            }
            let chosen = self.links[id].shared[known: conversation].unknown.choose(atMost: free)
            guard !chosen.isEmpty else { continue }
            let patience = self.now.monotonic + Limits.discoveryMilliseconds
            for tag in chosen {
                let fetch = self.sendWant(tag, in: conversation, from: 1, through: 1, on: id)
                self.links[id].shared[known: conversation].unknown
                    .begin(fetch, patience: patience)
            }
            self.fetching.seek(conversation)
            self.armFetching(at: patience)
            return
        }
    }

    private mutating func sendWant(
        _ tag: UInt64, in conversation: ConversationID, from: UInt64, through: UInt64,
        on id: LinkID
    ) -> Fetch {
        let through = min(through, from + Limits.wantEntries - 1)
        self.links[id].wants.begin()
        self.send(
            .want(Want(conversation: conversation, tag: tag, from: from, through: through)), on: id)
        let now = self.now.monotonic
        let patience = now + Limits.slowWantMilliseconds
        self.armFetching(at: patience)
        return Fetch(
            link: id, tag: tag, through: through, deadline: now + Limits.wantMilliseconds,
            patience: patience)
    }

    /// Lets conversations ask that had to wait for the wants of others.
    mutating func planFreedWants() {
        while let id = self.fetching.takeFreed() {
            // Who cannot ask for all that it lacks is at the end of the turns again, and then no want
            // is free.
            while self.links.has(id), self.links[id].wants.free > 0,
                let conversation = self.links[id].wants.nextWaiting()
            {
                self.planFetches(in: conversation)
            }
        }
    }

    /// Wakes the node for what is next in asking; an earlier wake-up stands.
    mutating func armFetching(at moment: UInt64) {
        if self.fetching.arm(at: moment) { self.actions.append(.arm(.fetch, at: moment)) }
    }

    // MARK: Ends

    private mutating func endWants(_ count: Int, on id: LinkID) {
        for _ in 0..<count { self.links[id].wants.end() }
        if count > 0 && self.links[id].wants.hasWaiting { self.fetching.free(id) }
    }

    mutating func endFetch(_ key: LogKey) {
        guard let fetch = self.fetching.end(key) else { return }
        self.endWants(1, on: fetch.link)
    }

    mutating func endDiscoveries(
        _ conversation: ConversationID, on id: LinkID, where isOver: (Fetch) -> Bool
    ) {
        let count = self.links[id].shared[known: conversation].unknown.giveUp(where: isOver)
        self.endWants(count, on: id)
    }

    /// Gives what a link that is gone was asked for to others.
    mutating func dropFetches(of link: Link) {
        var open = Set(link.shared.filter { !$0.value.unknown.discoveries.isEmpty }.map(\.key))
        for key in self.fetching.keys(of: link.id) {
            _ = self.fetching.end(key)
            open.insert(key.conversation)
        }
        for conversation in open.sorted() { self.planFetches(in: conversation) }
    }

    /// The peer has not served a want.
    private mutating func missFetch(_ key: LogKey, on id: LinkID) {
        self.links[id].wants.miss()
        self.links[id].shared[known: key.conversation].giveUp(key.name)
    }

    /// Gives up wants that are not served and asks for what had to wait.
    mutating func fetchingDue() {
        let now = self.now.monotonic
        self.fetching.wokenUp()
        var open = self.fetching.takeSeeking()
        for conversation in open {
            for id in self.links.sharing(conversation) {
                self.endDiscoveries(conversation, on: id) { $0.deadline <= now }
            }
        }
        for key in self.fetching.overdue(at: now) {
            guard let fetch = self.fetching.fetch(of: key) else { continue }
            self.endFetch(key)
            self.missFetch(key, on: fetch.link)
            open.insert(key.conversation)
        }
        open.formUnion(self.fetching.slow(at: now).map(\.conversation))
        self.forkSearches.endOverdue(at: now)
        for conversation in open.sorted() { self.planFetches(in: conversation) }
        self.armNextFetching(open)
    }

    /// Wakes the node for the first that is due in these conversations and all fetches.
    private mutating func armNextFetching(_ open: Set<ConversationID>) {
        var deadlines = self.fetching.deadlines + self.forkSearches.deadlines
        for conversation in open {
            var isSeeking = false
            self.links.visit(conversation) { _, sync in
                deadlines += sync.lacking.values
                guard !sync.lacking.isEmpty || !sync.unknown.discoveries.isEmpty else { return }
                isSeeking = true
                deadlines += sync.unknown.discoveries.values.map(\.deadline)
                if !sync.unknown.discoveries.isEmpty { deadlines.append(sync.unknown.patience) }
            }
            if isSeeking { self.fetching.seek(conversation) }
        }
        if let next = deadlines.filter({ $0 > self.now.monotonic }).min() {
            self.armFetching(at: next)
        }
    }

    // MARK: Answers

    mutating func receiveUnavailable(
        _ tag: UInt64, in conversation: ConversationID, on id: LinkID
    ) {
        let asked = self.fetching.keys(of: id) { key, fetch in
            key.conversation == conversation && fetch.tag == tag
        }
        for key in asked {
            self.endFetch(key)
            self.links[id].shared[known: conversation].giveUp(key.name)
        }
        self.endDiscoveries(conversation, on: id) { $0.tag == tag }
        for key in self.forkSearches.awaited(from: id, in: conversation)
        where self.links[id].tags.log(key.name, in: conversation) == tag {
            self.forkSearches.end(key)
            self.links[id].shared[known: conversation].giveUp(key.name)
        }
        self.planFetches(in: conversation)
    }

    /// A run of a fetch has come: it lives on, or is done.
    ///
    /// Only what is new lets it live on: a peer must not hold up a log with what is here already.
    mutating func fetched(
        _ key: LogKey, through seq: UInt64, from id: LinkID, isProgress: Bool
    ) {
        // Whatever was asked for is a want of the link.
        guard self.links[id].wants.open > 0 else { return }
        self.finishDiscovery(of: key, from: id)
        guard let fetch = self.fetching.fetch(of: key), fetch.link == id else { return }
        if isProgress { self.links[id].wants.serve() }
        if seq >= fetch.through {
            self.endFetch(key)
            let tail = self.conversationTable[known: key.conversation].log(key.name).tail.seq
            if !isProgress && tail < fetch.through { self.missFetch(key, on: id) }
            self.planFetches(in: key.conversation)
        } else if isProgress {
            self.fetching.extend(key, at: self.now.monotonic)
        }
    }

    /// A run answers the question for a log's first entries: what is left of it is a fetch.
    private mutating func finishDiscovery(of key: LogKey, from id: LinkID) {
        let conversation = key.conversation
        guard !self.links[id].shared[known: conversation].unknown.discoveries.isEmpty else {
            return
        }
        let tag = self.links[id].tags.log(key.name, in: conversation)
        let patience = self.now.monotonic + Limits.discoveryMilliseconds
        guard
            let fetch = self.links[id].shared[known: conversation].unknown
                .finish(tag, patience: patience)
        else { return }
        if self.fetching.fetch(of: key) == nil {
            self.fetching.begin(key, fetch)
        } else {
            // The log became known by another peer meanwhile.
            self.endWants(1, on: id)
        }
    }

    /// Remembers which log a tag means, on every link that shares the conversation.
    mutating func learnName(_ key: LogKey) {
        let conversation = key.conversation
        let links = self.links.sharing(conversation)
        guard !links.isEmpty else { return }
        let number = self.conversationTable[known: conversation].numbers.number(of: key.name)
        for id in links {
            let tag = self.links[id].tags.log(key.name, in: conversation)
            let seq = self.links[id].shared[known: conversation]
                .learnName(number, tag: tag)
            if self.links[id].awaited.take(tag, in: conversation) {
                self.links[id].shared[known: conversation].awaitsPayloads.insert(key.name)
            }
            let log = self.conversationTable[known: conversation].log(key.name)
            if let seq, seq > log.tail.seq, !log.isRefused {
                self.seek(key, on: id, from: self.now.monotonic)
            }
        }
    }
}
