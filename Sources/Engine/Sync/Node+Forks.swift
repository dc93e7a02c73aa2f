internal import Formats

/// Two histories of one author: finding where they part, proving it, ending the log there.
///
/// `Docs/Protocol/Sync.md` section 6.
extension Node {
    /// Begins to look for where a peer's entries leave the own ones.
    mutating func searchFork(of key: LogKey, on id: LinkID, with run: VerifiedRun? = nil) {
        let head = self.conversations.table[known: key.conversation].log(key.name).head.seq
        guard !self.catchUp.forkSearches.isSearching(key), head > 0 else { return }
        let isNews = self.catchUp.forkSearches.isNews(key, from: self.links[id].info.peer)
        let text = "\(key.name.author.shortText) may have signed two histories"
        if isNews { self.logThinned(text) }
        // Others are asked all the same: only what this peer sends is held against the own entries.
        if self.catchUp.fetching.fetch(of: key)?.link == id { self.endFetch(key) }
        self.performForkStep(
            self.catchUp.forkSearches.begin(key, on: id, head: head, with: run, at: self.now))
    }

    private mutating func performForkStep(_ step: ForkStep) {
        switch step {
        case .none: break
        case .ask(let id, let key, let seq):
            // The peer may have left the conversation while own entries were read.
            guard self.links.isShared(key.conversation, on: id) else {
                return self.catchUp.forkSearches.end(key)
            }
            let tag = self.links[id].tags.log(key.name, in: key.conversation)
            self.send(
                .want(Want(conversation: key.conversation, tag: tag, from: seq, through: seq)),
                on: id)
            self.armFetching(at: self.now.monotonic + Limits.wantMilliseconds)
        case .read(let key, let from, let through):
            self.armFetching(at: self.now.monotonic + Limits.wantMilliseconds)
            self.read(.fork(key), key, from: from, through: through)
        case .proven(let proof): self.endLog(by: proof, after: self.headBefore(proof))
        }
    }

    /// The peer's entries have come: read the own ones at the same place.
    mutating func continueForkSearch(_ run: Run, on id: LinkID) {
        guard self.catchUp.forkSearches.isAwaited(run) else { return }
        guard let verified = run.verified() else {
            return self.violation(id, "forged run of \(run.key.name.author.shortText)")
        }
        self.performForkStep(self.catchUp.forkSearches.receive(verified))
    }

    /// The own entries have come: either the difference is here, or it lies before or behind.
    mutating func forkRead(_ run: Run?, _ key: LogKey) {
        self.performForkStep(self.catchUp.forkSearches.readOwn(run, of: key, at: self.now))
    }

    /// Takes a proof; true where it is to be written, and its credit returns with that.
    mutating func receiveForkProof(_ proof: ForkProof, on id: LinkID) -> Bool {
        switch self.take(proof, from: .link(id)) {
        case .known, .foreign, .room: return false
        case .forged:
            self.violation(id, "forged fork proof against \(proof.key.name.author.shortText)")
            return false
        case .ends, .isRead: return true
        }
    }

    /// What has become of a proof that somebody has brought.
    enum ProofFinding {
        case known, foreign, room, forged
        /// The log ends by it.
        case ends
        /// It is looked first where the own history ends.
        case isRead
    }

    mutating func take(_ proof: ForkProof, from origin: RunOrigin) -> ProofFinding {
        let key = proof.key
        let conversation = self.conversations.table[known: key.conversation]
        guard conversation.takes(key.name) else { return .foreign }
        if let known = conversation.log(key.name).forkPoint, known <= proof.point { return .known }
        guard proof.isValid else { return .forged }
        guard self.makeRoom(for: proof, from: origin) else { return .room }
        self.learnName(key)
        let head = conversation.log(key.name).head
        guard head.seq < proof.point || proof.point == 1 else {
            // The own history may have left both of the proof's before their point.
            self.read(.end(proof), key, from: proof.point - 1, through: proof.point - 1)
            return .isRead
        }
        self.endLog(by: proof, after: .start)
        return .ends
    }

    /// The own entries have come beside which a site has brought others: where they part at these, that is proven.
    mutating func siteForkRead(_ run: Run?, _ theirs: VerifiedRun) {
        let key = theirs.run.key
        guard let run, let conversation = self.conversations.table[key.conversation],
            conversation.takes(key.name), run.first == theirs.run.first,
            case .proven(let proof) = ForkSearches.compare(
                VerifiedRun(run: run, ids: run.ids), theirs)
        else { return }
        self.endLog(by: proof, after: self.headBefore(proof))
    }

    /// Gives back the credit of proofs that need not be written after all.
    private mutating func creditProofs() {
        for credit in self.disk.commits.takeProofCredits() {
            self.consume(credit.byteCount, on: credit.channel, of: credit.link)
        }
    }

    /// The own entry before a proven fork point has come: there the log ends.
    mutating func endRead(_ run: Run?, _ proof: ForkProof) {
        guard let run, let id = run.ids.first else {
            // A smaller point was proven meanwhile.
            return self.creditProofs()
        }
        self.endLog(
            by: proof, after: Head(seq: run.first, id: id, time: run.entries[0].time))
    }

    /// Ends a log before a proven fork point and keeps the proof, which is sent on once it is on disk.
    ///
    /// `last` is the own entry before the point, where this node has one.
    private mutating func endLog(by proof: ForkProof, after last: Head) {
        let key = proof.key
        let conversation = key.conversation
        let log = self.conversations.table[known: conversation].log(key.name)
        if let known = log.forkPoint, known <= proof.point { return self.creditProofs() }
        self.catchUp.forkSearches.end(key)
        let head = log.head.seq < proof.point ? log.head : last
        // What is being written of the log before the point will be on disk in a moment.
        let written = LogProgress(head: head, tail: head, forkPoint: proof.point)
        let tail =
            self.disk.commits.inFlight?.batch.appends
            .last { $0.run.run.key == key && $0.run.run.first < proof.point }
            .map { written.countedHead(of: $0.run) }
        self.conversations.table[known: conversation]
            .end(key.name, at: proof.point, head: head, tail: tail ?? head)
        for accepted in self.disk.commits.drop(key) { self.returnCredit(for: accepted) }
        self.disk.commits.addProof(proof)
        self.catchUp.payloadWants.end(key, before: proof.point)
        self.noteWhole(key)
        self.markDirty(key)
        if key.name == self.ownLog {
            self.renewIncarnation(
                "your history was signed twice (a copied or restored disk?); it ends at entry "
                    + "\(proof.point - 1) and continues under a new incarnation")
        } else {
            self.tellFork(of: key, at: proof.point)
        }
        self.planFetches(in: conversation)
    }

    /// Says who has signed two histories; of people whom the user does not know that some have, since keys
    /// cost nothing.
    private mutating func tellFork(of key: LogKey, at point: UInt64) {
        let author = key.name.author
        let text =
            "\(author.shortText) signed two histories; its messages from entry \(point) on are disputed"
        guard self.tier(of: author) <= .stranger else {
            return self.raiseAlert(
                .fork, about: author, in: key.conversation, text + ", ask that person",
                lasting: Limits.forkAlertMilliseconds)
        }
        self.logThinned(
            text, about: LogSubject(peer: author, conversation: key.conversation, alert: .fork))
        self.raiseAlert(
            .fork,
            "some strangers have signed two histories; their messages from there on are "
                + "disputed (the log names them)",
            lasting: Limits.forkAlertMilliseconds)
    }

    /// The position before a fork point that the own entries prove; its time matters only for what can no
    /// longer follow.
    private func headBefore(_ proof: ForkProof) -> Head {
        guard let prev = proof.left.prev else { return .start }
        return Head(seq: proof.point - 1, id: prev, time: proof.left.entries[0].time)
    }
}
