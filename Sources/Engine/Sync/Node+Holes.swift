package import Formats

/// What is missing of conversations here.
extension Node {
    /// What has been missing of a conversation for a while; nothing where all is here or still comes.
    package func holes(in id: ConversationID) -> [MissingEntries] {
        self.catchUp.holes.standing(in: id)
    }

    /// The conversations of which something has been missing for a while.
    package var conversationsWithHoles: [ConversationID] { self.catchUp.holes.conversations }

    /// What there is of a conversation at this moment and is not here, of people whom the user knows first, then most
    /// first: what authors have signed, and what people whom the user knows, or who wrote it, say to have.
    ///
    /// What a log has too few of here counts, and payloads that were left out.
    package func missing(in id: ConversationID) -> [MissingEntries] {
        guard self.conversations.table.has(id) else { return [] }
        let conversation = self.conversations.table[known: id]
        var missing = MissingTally()
        let links = self.links.sharing(id)
        let partial = conversation.logs.filter { $0.value.whole != nil }.map(\.key)
        var told: Set<PeerID> = []
        for link in links {
            let peer = self.links[link].info.peer
            let sync = self.links[link].shared[known: id]
            if sync.pages.isPeerKnown { told.insert(peer) }
            for name in sync.ahead(conversation.numbers).union(partial)
            where self.isBelieved(peer, of: name) {
                let stored = sync.stored(of: name, conversation.numbers)
                missing.add(
                    through: min(stored, conversation.limit(of: name)), of: name,
                    conversation.log(name), at: peer)
            }
        }
        for (name, traces) in self.catchUp.holes.traces(in: id) {
            let log = conversation.log(name)
            // What is held back is nobody's fault.
            let limit = conversation.limit(of: name)
            missing.add(through: min(traces.signed, limit), of: name, log, at: nil)
            // Who is linked again says anew what they have.
            for (peer, last) in traces.told where !told.contains(peer) {
                missing.add(through: min(last, limit), of: name, log, at: peer)
            }
        }
        self.addMarks(of: conversation, to: &missing)
        guard !missing.isEmpty else { return [] }
        let tiers = self.tiers(of: missing.authors)
        return missing.all { tiers[$0, default: .stranger] >= .known }.filter {
            tiers[$0.author] != .blocked
        }
    }

    /// What members say to have who are not linked.
    private func addMarks(of conversation: Conversation, to missing: inout MissingTally) {
        let id = conversation.id
        let linked = Set(self.links.sharing(id).map { self.links[$0].info.peer })
        var away = conversation.members.filter { $0 != self.id && !linked.contains($0) }
        if away.count > Limits.markMembers { away = away.filter { self.isKnown($0) } }
        let marks = away.compactMap { member in
            self.persons.profiles.record(
                RecordKey(author: member, conversation: id, kind: Record.Kind.mark)
            ).flatMap { Mark($0, by: self.keyring) }.map { (member, $0) }
        }
        guard !marks.isEmpty else { return }
        var logs: [UInt64: LogName] = [:]
        for name in conversation.logs.keys where name.author != self.id {
            logs[Mark.tag(of: LogKey(conversation: id, name: name))] = name
        }
        for (member, mark) in marks {
            for row in mark.rows {
                guard let name = logs[row.tag], self.isBelieved(member, of: name) else { continue }
                missing.add(
                    through: min(row.stored, conversation.limit(of: name)), of: name,
                    conversation.log(name), at: member)
            }
        }
    }

    /// Whether somebody may say what there is of a log.
    private func isBelieved(_ peer: PeerID, of name: LogName) -> Bool {
        name.author == peer || self.tier(of: peer) >= .known
    }

    // MARK: What is learned

    /// Something was learned about what there is of a conversation.
    mutating func watchHoles(in id: ConversationID) {
        guard self.conversations.table[id]?.isJoined == true else { return }
        self.catchUp.holes.watch(id, at: self.now.monotonic)
    }

    /// A run has come that does not follow what is here: its author has signed its last entry.
    mutating func noteSigned(_ run: Run, on id: LinkID) {
        let key = run.key
        let known = self.catchUp.holes.traces(in: key.conversation)[key.name]?.signed ?? 0
        // To check a signature takes time, and says nothing new of what was signed before.
        guard run.last > known,
            self.isOfKnown(id) || self.catchUp.holes.mayCheck(at: self.now.monotonic),
            run.verified() != nil
        else { return }
        let firsts = self.knownAuthors(in: key.conversation, and: key.name.author)
        self.catchUp.holes.note(signed: run.last, of: key) { firsts.contains($0) }
        self.watchHoles(in: key.conversation)
    }

    /// Remembers what a peer had more when its link ended, where it is believed.
    mutating func noteTold(_ sync: ConversationSync, of id: ConversationID, by peer: PeerID) {
        guard self.conversations.table[known: id].isJoined else { return }
        let numbers = self.conversations.table[known: id].numbers
        for name in sync.ahead(numbers).sorted() where self.isBelieved(peer, of: name) {
            let last = sync.stored(of: name, numbers)
            let log = self.conversations.table[known: id].log(name)
            guard log.forkPoint == nil, log.lacking(through: last) > 0 else { continue }
            let key = LogKey(conversation: id, name: name)
            let firsts = self.knownAuthors(in: id, and: name.author)
            self.catchUp.holes.note(last, of: key, at: peer) { firsts.contains($0) }
            self.watchHoles(in: id)
        }
    }

    /// Of the authors of whose logs something is remembered, and one more, those whom the user knows.
    private func knownAuthors(in id: ConversationID, and author: PeerID) -> Set<PeerID> {
        let authors = Set(self.catchUp.holes.traces(in: id).keys.map(\.author)).union([author])
        return authors.filter { self.isKnown($0) }
    }

    /// The user left a conversation.
    mutating func dropHoles(of id: ConversationID) {
        if self.catchUp.holes.drop(id) { self.actions.append(.signal([.missing(id)])) }
    }

    /// Looks at conversations whose turn has come, and tells subscribers where something else is missing.
    mutating func lookAtHoles() {
        for id in self.catchUp.holes.takeDue(at: self.now.monotonic) {
            guard let conversation = self.conversations.table[id], conversation.isJoined else {
                self.dropHoles(of: id)
                continue
            }
            self.catchUp.holes.prune(id) { name, traces in
                let log = conversation.log(name)
                let last = max(traces.signed, traces.told.values.max() ?? 0)
                return !conversation.logs.has(name) || log.lacking(through: last) == 0
            }
            let found = self.missing(in: id)
            let authors = found + self.holes(in: id)
            let firsts = Set(authors.map(\.author).filter { self.isKnown($0) })
            let isNews = self.catchUp.holes.look(
                id, found, isFirst: { firsts.contains($0) }, at: self.now.monotonic)
            if isNews {
                self.actions.append(.signal([.missing(id)]))
            }
        }
        if let moment = self.catchUp.holes.newMoment(at: self.now.monotonic) {
            self.actions.append(.arm(.holes, at: moment))
        }
    }
}
