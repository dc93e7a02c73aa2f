internal import Formats

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
            self.catchUp.fetching.noteMoment(moment)
            self.armFetching(at: moment)
        }
        self.seek(key, on: id, from: moment)
    }

    /// Notes that a peer has more of a log, to be asked for from a moment on.
    mutating func seek(_ key: LogKey, on id: LinkID, from moment: UInt64) {
        let number = self.conversations.table[known: key.conversation].numbers.number(of: key.name)
        self.links[id].shared[known: key.conversation].lack(number, from: moment)
        self.catchUp.fetching.seek(key.conversation)
        self.watchHoles(in: key.conversation)
    }

    /// Asks for what is lacking, each log from one peer, the least busy first.
    ///
    /// At once, unless too much was looked at of late: then in a turn of its own, but for what people have
    /// whom the user knows.
    ///
    /// - Parameter bringer: the link on which came what there is to ask for.
    mutating func planFetches(in conversation: ConversationID, for bringer: LinkID? = nil) {
        guard let known = self.conversations.table[conversation], known.refusesLogs else {
            return self.catchUp.fetching.plans.drop(conversation)
        }
        let now = self.now.monotonic
        let isFree = self.catchUp.fetching.plans.isFree(at: now)
        guard !isFree || self.catchUp.fetching.plans.waiting.contains(conversation) else {
            return self.plan(known)
        }
        self.catchUp.fetching.plans.wait(conversation)
        self.armFetching(at: self.catchUp.fetching.plans.nextTurn(after: now))
        if let bringer, self.links.has(bringer), self.isOfKnown(bringer) {
            self.planForKnown(known)
        }
    }

    /// Plans the conversations whose turn has come.
    private mutating func planWaiting() {
        let now = self.now.monotonic
        // Of one that is not done another turn comes later.
        for _ in 0..<self.catchUp.fetching.plans.waiting.count {
            guard let conversation = self.catchUp.fetching.plans.next(at: now) else { break }
            guard let known = self.conversations.table[conversation], known.refusesLogs else {
                self.catchUp.fetching.plans.drop(conversation)
                continue
            }
            self.plan(known)
        }
        for conversation in self.catchUp.fetching.plans.waiting.all {
            guard let known = self.conversations.table[conversation] else { continue }
            self.planForKnown(known)
        }
    }

    /// Whether a link is with somebody whom the user knows, or with an own device.
    func isOfKnown(_ id: LinkID) -> Bool { self.isKnown(self.links[id].info.peer) }

    /// Whether somebody is known to the user, or an own device.
    func isKnown(_ peer: PeerID) -> Bool {
        self.persons.people.tier(of: peer).map { $0 >= .known } ?? self.isOwnDevice(peer)
    }

    /// Whether a log is of the user, or of somebody whom they know, whichever device has written it.
    func isKnown(_ person: PersonID?) -> Bool {
        person == self.own.certificate.personID
            || person.map { self.persons.people.isKnown($0) } ?? false
    }

    /// Asks for what is lacking as far as one turn goes: first those whom the user knows.
    private mutating func plan(_ known: Conversation) {
        var loads: [(id: LinkID, steps: Int)] = []
        self.links.visit(known.id) { id, sync in loads.append((id, sync.lacking.count)) }
        var steps = loads.reduce(0) { $0 + $1.steps }
        var chosen: Set<LinkID>?
        if steps > Limits.fetchStepsPerTurn {
            // Who is asked for as much as may be has its turn when it has answered.
            let (able, busy) = self.split(loads.filter { $0.steps > 0 }) {
                $0.links[$1].wants.free > 0
            }
            for link in busy { self.links[link.id].wants.wait(known.id) }
            let (friends, strangers) = self.split(able) { $0.isOfKnown($1) }
            let turn = self.catchUp.fetching.plans.choose(
                of: strangers, in: known.id,
                atMost: Limits.fetchStepsPerTurn - friends.reduce(0) { $0 + $1.steps })
            let links = turn.links.union(friends.map(\.id))
            steps = able.filter { links.contains($0.id) }.reduce(0) { $0 + $1.steps }
            chosen = links
            if !turn.isAll {
                self.catchUp.fetching.plans.wait(known.id)
                self.armFetching(
                    at: self.catchUp.fetching.plans.nextTurn(after: self.now.monotonic))
            }
        }
        self.catchUp.fetching.plans.spend(steps)
        self.ask(for: self.lacking(in: known, on: chosen), in: known)
        self.discover(in: known.id, isKnownOnly: false)
    }

    private func split(
        _ loads: [(id: LinkID, steps: Int)], where isFirst: (borrowing Self, LinkID) -> Bool
    ) -> (first: [(id: LinkID, steps: Int)], second: [(id: LinkID, steps: Int)]) {
        (loads.filter { isFirst(self, $0.id) }, loads.filter { !isFirst(self, $0.id) })
    }

    /// Asks those whom the user knows for what they have, where that is little; its turn does the rest.
    private mutating func planForKnown(_ known: Conversation) {
        var loads: [(id: LinkID, steps: Int)] = []
        self.links.visit(known.id) { id, sync in
            if sync.isSeeking { loads.append((id, sync.lacking.count)) }
        }
        loads = loads.filter { self.isOfKnown($0.id) }
        let steps = loads.reduce(0) { $0 + $1.steps }
        guard !loads.isEmpty, steps <= Limits.knownFetchSteps else { return }
        self.catchUp.fetching.plans.spend(steps)
        self.ask(for: self.lacking(in: known, on: Set(loads.map(\.id))), in: known)
        self.discover(in: known.id, isKnownOnly: true)
    }

    /// Asks for logs that some links have more of.
    private mutating func ask(for lacking: [LogName: [LinkID]], in known: Conversation) {
        let conversation = known.id
        for (name, links) in lacking.sorted(by: { $0.key < $1.key }) {
            let key = LogKey(conversation: conversation, name: name)
            let slow = self.catchUp.fetching.fetch(of: key)
            // Who may show another history is asked for the place where they part.
            let links = links.filter {
                !self.catchUp.forkSearches.isSearching(key, on: $0)
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
            let has = min(
                self.links[id].shared[known: conversation].seq(of: name, known.numbers),
                known.askedThrough(name))
            let from = known.end(of: name) + 1
            var fetch = self.sendWant(tag, in: conversation, from: from, through: has, on: id)
            if let slow {
                // What still comes of it is taken; who is slow comes after all others from now on.
                self.endFetch(key)
                self.links[slow.link].wants.miss()
                fetch.slow = slow.slow.union([slow.link])
            }
            self.catchUp.fetching.begin(key, fetch)
        }
    }

    /// The links that have more of a log and may be asked for it: of some, or of all.
    private mutating func lacking(
        in conversation: Conversation, on chosen: Set<LinkID>?
    ) -> [LogName: [LinkID]] {
        var found: [LogName: [LinkID]] = [:]
        let now = self.now.monotonic
        self.links.visit(conversation.id) { id, sync in
            guard chosen?.contains(id) ?? true else { return }
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
    /// rest is spread over all peers. One that does not answer holds up nobody for long, and a stranger
    /// nobody whom the user knows.
    private mutating func discover(in conversation: ConversationID, isKnownOnly: Bool) {
        let now = self.now.monotonic
        var patient: [LinkID] = []
        var able: [(id: LinkID, isAsked: Bool)] = []
        self.links.visit(conversation) { id, sync in
            if sync.unknown.isPatient(at: now) { patient.append(id) }
            // In stretches, since each is chosen from all that are unknown.
            if !sync.unknown.isEmpty,
                sync.unknown.discoveries.count <= Limits.discoveriesPerLink / 2
            {
                able.append((id, !sync.unknown.discoveries.isEmpty))
            }
        }
        guard !able.isEmpty else { return }
        var known: [(id: LinkID, isAsked: Bool)] = []
        var others = known
        // In loops, since a closure that asks the node would copy it.
        for one in able {
            if self.isOfKnown(one.id) { known.append(one) } else { others.append(one) }
        }
        var asked: LinkID?
        for id in patient where asked == nil && self.isOfKnown(id) { asked = id }
        if !known.isEmpty, self.discover(known, asked: asked, in: conversation) { return }
        guard !isKnownOnly, asked == nil else { return }
        _ = self.discover(others, asked: patient.first, in: conversation)
    }

    /// Asks the first of some links that may be asked; false where there is none.
    private mutating func discover(
        _ able: [(id: LinkID, isAsked: Bool)], asked: LinkID?, in conversation: ConversationID
    ) -> Bool {
        for (id, isAsked) in able where asked.map({ $0 == id }) ?? !isAsked {
            let free = self.links[id].wants.free
            guard free > 0 else {
                self.links[id].wants.wait(conversation)
                continue
            }
            // It is chosen from all of them.
            self.catchUp.fetching.plans.spend(
                self.links[id].shared[known: conversation].unknown.count)
            let chosen = self.links[id].shared[known: conversation].unknown.choose(atMost: free)
            guard !chosen.isEmpty else { continue }
            let patience = self.now.monotonic + Limits.discoveryMilliseconds
            for tag in chosen {
                let fetch = self.sendWant(tag, in: conversation, from: 1, through: 1, on: id)
                self.links[id].shared[known: conversation].unknown
                    .begin(fetch, patience: patience)
            }
            self.catchUp.fetching.seek(conversation)
            self.armFetching(at: patience)
            return true
        }
        return false
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
        while let id = self.catchUp.fetching.takeFreed() {
            // Who cannot ask for all that it lacks is at the end of the turns again, and then no want
            // is free.
            while self.links.has(id), self.links[id].wants.free > 0,
                let conversation = self.links[id].wants.nextWaiting()
            {
                self.planFetches(in: conversation, for: id)
            }
        }
    }

    /// Wakes the node for what is next in asking; an earlier wake-up stands.
    mutating func armFetching(at moment: UInt64) {
        if self.catchUp.fetching.arm(at: moment) { self.actions.append(.arm(.fetch, at: moment)) }
    }

    // MARK: Ends

    private mutating func endWants(_ count: Int, on id: LinkID) {
        for _ in 0..<count { self.links[id].wants.end() }
        if count > 0 && self.links[id].wants.hasWaiting { self.catchUp.fetching.free(id) }
    }

    mutating func endFetch(_ key: LogKey) {
        guard let fetch = self.catchUp.fetching.end(key) else { return }
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
        for key in self.catchUp.fetching.keys(of: link.id) {
            _ = self.catchUp.fetching.end(key)
            open.insert(key.conversation)
        }
        for conversation in open.sorted() { self.planFetches(in: conversation) }
    }

    /// The peer has not served a want.
    private mutating func missFetch(_ key: LogKey, on id: LinkID) {
        self.links[id].wants.miss()
        self.giveUp(key, on: id)
    }

    /// A peer does not serve what it has told of.
    private mutating func giveUp(_ key: LogKey, on id: LinkID) {
        let number = self.conversations.table[known: key.conversation].numbers.find(key.name)
        if let number { self.links[id].shared[known: key.conversation].giveUp(number) }
    }

    /// Gives up wants that are not served and asks for what had to wait.
    mutating func fetchingDue() {
        let now = self.now.monotonic
        self.catchUp.fetching.wokenUp(at: now)
        var open = self.catchUp.fetching.takeSeeking()
        for conversation in open {
            for id in self.links.sharing(conversation) {
                self.endDiscoveries(conversation, on: id) { $0.deadline <= now }
            }
        }
        for key in self.catchUp.fetching.overdue(at: now) {
            guard let fetch = self.catchUp.fetching.fetch(of: key) else { continue }
            self.endFetch(key)
            self.missFetch(key, on: fetch.link)
            open.insert(key.conversation)
        }
        open.formUnion(self.catchUp.fetching.slow(at: now).map(\.conversation))
        self.catchUp.forkSearches.endOverdue(at: now)
        for conversation in open.sorted() { self.catchUp.fetching.plans.wait(conversation) }
        self.planWaiting()
        self.armNextFetching(open)
    }

    /// Wakes the node for the first that is due in these conversations and all fetches.
    private mutating func armNextFetching(_ open: Set<ConversationID>) {
        let now = self.now.monotonic
        var deadlines = self.catchUp.fetching.deadlines + self.catchUp.forkSearches.deadlines
        var isAny = false
        for conversation in open {
            var isSeeking = false
            self.links.visit(conversation) { _, sync in
                guard !sync.lacking.isEmpty || !sync.unknown.discoveries.isEmpty else { return }
                isSeeking = true
                deadlines += sync.unknown.discoveries.values.map(\.deadline)
                if !sync.unknown.discoveries.isEmpty { deadlines.append(sync.unknown.patience) }
            }
            if isSeeking { self.catchUp.fetching.seek(conversation) }
            isAny = isAny || isSeeking
        }
        // Where what was lacking has come nobody is woken for it.
        if isAny {
            deadlines += self.catchUp.fetching.moments
        } else {
            self.catchUp.fetching.dropMoments()
        }
        let isBusy = !self.catchUp.fetching.plans.waiting.isEmpty
        if isBusy { deadlines.append(self.catchUp.fetching.plans.nextTurn(after: now)) }
        guard let next = deadlines.filter({ $0 > now }).min() else { return }
        // Of many, each with a moment of its own, several have their turn together.
        let isCrowd = isBusy || self.catchUp.fetching.count > Limits.knownFetchSteps
        self.armFetching(at: isCrowd ? max(next, now + Limits.fetchTurnMilliseconds) : next)
    }

    // MARK: Answers

    mutating func receiveUnavailable(
        _ tag: UInt64, in conversation: ConversationID, on id: LinkID
    ) {
        let asked = self.catchUp.fetching.keys(of: id) { key, fetch in
            key.conversation == conversation && fetch.tag == tag
        }
        for key in asked {
            self.endFetch(key)
            self.giveUp(key, on: id)
        }
        self.endDiscoveries(conversation, on: id) { $0.tag == tag }
        for key in self.catchUp.forkSearches.awaited(from: id, in: conversation)
        where self.links[id].tags.log(key.name, in: conversation) == tag {
            self.catchUp.forkSearches.end(key)
            self.giveUp(key, on: id)
        }
        self.planFetches(in: conversation, for: id)
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
        guard let fetch = self.catchUp.fetching.fetch(of: key), fetch.link == id else { return }
        if isProgress { self.links[id].wants.serve() }
        if seq >= fetch.through {
            self.endFetch(key)
            let tail = self.conversations.table[known: key.conversation].log(key.name).tail.seq
            if !isProgress && tail < fetch.through { self.missFetch(key, on: id) }
            self.planFetches(in: key.conversation, for: id)
        } else if isProgress {
            self.catchUp.fetching.extend(key, at: self.now.monotonic)
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
        if self.catchUp.fetching.fetch(of: key) == nil {
            self.catchUp.fetching.begin(key, fetch)
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
        let number = self.conversations.table[known: conversation].numbers.number(of: key.name)
        for id in links {
            let tag = self.links[id].tags.log(key.name, in: conversation)
            let seq = self.links[id].shared[known: conversation]
                .learnName(number, tag: tag)
            if self.links[id].awaited.take(tag, in: conversation) {
                self.links[id].shared[known: conversation].awaitsPayloads.insert(number)
            }
            let log = self.conversations.table[known: conversation].log(key.name)
            let limit = self.conversations.table[known: conversation].limit(of: key.name)
            if let seq, min(seq, limit) > log.tail.seq, !log.isRefused {
                self.seek(key, on: id, from: self.now.monotonic)
            }
        }
    }
}
