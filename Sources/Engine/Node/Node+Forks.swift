internal import Crypto

/// A search for the first entry at which a peer's view of a log differs from the own one.
struct ForkSearch: Hashable, Sendable {
    var link: LinkID
    /// How many entries before the first known difference the next question begins; doubles.
    var stride: UInt64
    /// Where the running question begins.
    var from: UInt64
    var deadline: UInt64
    /// The peer's entries, once they are here, while the own ones are read.
    var theirs: VerifiedRun?
    var steps: Int
}

/// Two histories of one author: finding where they part, proving it, ending the log there.
///
/// `Docs/Protocol/Sync.md` section 6.
extension Node {
    /// Begins to look for where a peer's entries leave the own ones; one search per log at a time.
    ///
    /// A run that begins inside the own log may hold the difference already: then only the own
    /// entries at its place are read. Otherwise the peer is asked backwards.
    mutating func searchFork(of key: LogKey, on id: LinkID, with run: VerifiedRun? = nil) {
        let log = self.conversationTable[key.conversation]?.log(key.name) ?? Log()
        guard self.forkSearches[key] == nil, log.head.seq > 0 else { return }
        self.log(.warning, "\(key.name.author.shortText) may have signed two histories")
        self.endFetch(key)
        let stride = UInt64(Limits.runEntries)
        guard let run, run.run.first <= log.head.seq else {
            return self.askBackwards(
                key, on: id, before: log.head.seq + 1, stride: stride, steps: 0)
        }
        let deadline = self.now.monotonic + Limits.wantMilliseconds
        self.forkSearches[key] = ForkSearch(
            link: id, stride: stride / 2, from: run.run.first, deadline: deadline, theirs: run,
            steps: 0)
        self.armFetch(at: deadline)
        self.read(.fork(key), key, from: run.run.first, through: run.run.last)
    }

    private mutating func askBackwards(
        _ key: LogKey, on id: LinkID, before: UInt64, stride: UInt64, steps: Int
    ) {
        // The peer may have left the conversation while own entries were read.
        guard let link = self.links[id], link.shared.has(key.conversation),
            steps < Limits.forkSearchSteps
        else {
            self.forkSearches[key] = nil
            return
        }
        let from = before > stride ? before - stride : 1
        self.send(
            .want(
                Want(
                    conversation: key.conversation, tag: link.tag(key.name, in: key.conversation),
                    from: from, through: from)), on: id)
        let deadline = self.now.monotonic + Limits.wantMilliseconds
        self.forkSearches[key] = ForkSearch(
            link: id, stride: stride, from: from, deadline: deadline, theirs: nil, steps: steps)
        self.armFetch(at: deadline)
    }

    /// The peer's entries have come: read the own ones at the same place.
    mutating func continueForkSearch(_ run: Run, on id: LinkID) {
        let key = run.key
        guard let search = self.forkSearches[key], run.first == search.from,
            search.theirs == nil
        else { return }
        guard let verified = run.verified() else {
            return self.violation(id, "forged run of \(key.name.author.shortText)")
        }
        self.forkSearches[key]?.theirs = verified
        self.read(.fork(key), key, from: run.first, through: run.last)
    }

    /// The own entries have come: either the difference is here, or it lies before or behind.
    mutating func forkRead(_ run: Run?, _ key: LogKey) {
        // The answer to an earlier search, given up since, may come while another one runs.
        guard let search = self.forkSearches[key], let theirs = search.theirs,
            run.map({ $0.first == search.from }) ?? true
        else { return }
        self.forkSearches[key] = nil
        guard let run else { return }
        let own = VerifiedRun(run: run, ids: run.ids)
        if theirs.run.prev != own.run.prev {
            self.askBackwards(
                key, on: search.link, before: search.from, stride: search.stride * 2,
                steps: search.steps + 1)
        } else if let index = zip(own.ids, theirs.ids).enumerated().first(where: {
            $0.element.0 != $0.element.1
        })?.offset {
            let point = run.first + UInt64(index)
            guard let left = own.suffix(from: point), let right = theirs.suffix(from: point),
                let proof = ForkProof(left, right)
            else { preconditionFailure("two runs that differ at a seq prove a fork there") }
            self.endLog(by: proof, after: self.headBefore(proof))
        } else {
            // All that both hold here is the same: the difference lies behind.
            let next = min(own.run.last, theirs.run.last) + 1
            self.askBackwards(
                key, on: search.link, before: next + 1, stride: 1, steps: search.steps + 1)
        }
    }

    mutating func received(_ proof: ForkProof, on id: LinkID) {
        let key = proof.key
        guard self.links[id]?.shared.has(key.conversation) == true,
            let conversation = self.conversationTable[key.conversation],
            conversation.hasRoom(for: key.name)
        else { return }
        if let known = conversation.log(key.name).fork, known.point <= proof.point { return }
        guard proof.isValid else {
            return self.violation(
                id, "forged fork proof against \(key.name.author.shortText)")
        }
        self.learnName(ofProof: proof, on: id)
        let head = conversation.log(key.name).head
        if head.seq < proof.point || proof.point == 1 {
            self.endLog(by: proof, after: .start)
        } else {
            // The own history may have left both of the proof's before their point.
            self.read(.end(proof), key, from: proof.point - 1, through: proof.point - 1)
        }
    }

    /// The own entry before a proven fork point has come: there the log ends.
    mutating func endRead(_ run: Run?, _ proof: ForkProof) {
        guard let run, let id = run.ids.first else {
            // A smaller point was proven meanwhile.
            return
        }
        self.endLog(
            by: proof, after: Head(seq: run.first, id: id, time: run.entries[0].time))
    }

    private mutating func learnName(ofProof proof: ForkProof, on id: LinkID) {
        let room = proof.key.conversation
        for other in self.links(sharing: room) {
            guard let tag = self.links[other]?.tag(proof.key.name, in: room) else { continue }
            self.links[other]?.shared[room]?.names[tag] = proof.key.name
            if let row = self.links[other]?.shared[room]?.unknown.removeValue(forKey: tag) {
                self.links[other]?.shared[room]?.rows[proof.key.name] = row
                if !((self.conversationTable[room]?.log(proof.key.name).tail.seq ?? 0) >= row.seq) {
                    self.seek(proof.key, on: other, from: self.now.monotonic)
                }
            }
        }
    }

    /// Ends a log before a proven fork point, keeps the proof and sends it on.
    ///
    /// `last` is the own entry before the point, where this node has one.
    private mutating func endLog(by proof: ForkProof, after last: Head) {
        let key = proof.key
        let room = key.conversation
        let log = self.conversationTable[room]?.log(key.name) ?? Log()
        if let known = log.fork, known.point <= proof.point { return }
        self.forkSearches[key] = nil
        let head = log.head.seq < proof.point ? log.head : last
        // What is being written of the log before the point will be on disk in a moment.
        let written = Log(head: head, tail: head, fork: proof)
        let tail =
            self.inFlight?.batch.appends
            .last { $0.run.run.key == key && $0.run.run.first < proof.point }
            .map { written.countedHead(of: $0.run) }
        self.conversationTable[room]?.end(key.name, by: proof, head: head, tail: tail ?? head)
        let dropped = (self.commitQueue.live + self.commitQueue.sync).filter {
            $0.append.run.run.key == key
        }
        self.commitQueue.live.removeAll { $0.append.run.run.key == key }
        self.commitQueue.sync.removeAll { $0.append.run.run.key == key }
        for accepted in dropped {
            self.consume(accepted.byteCount, on: accepted.channel, of: accepted.link)
        }
        self.commitQueue.proofs.append(proof)
        #if MUTANTS
            if Mutant.forgetForkProofs.isActive { self.commitQueue.proofs = [] }
        #endif
        self.markDirty(key)
        if key.name == self.ownLog {
            self.renewIncarnation(
                "own history was signed twice (a copied or restored disk?); it ends at entry "
                    + "\(proof.point - 1) and goes on under a new incarnation")
        } else {
            self.raiseAlert(
                .fork, about: key.name.author,
                "\(key.name.author.shortText) signed two histories; what it wrote from entry "
                    + "\(proof.point) on is disputed, ask that person")
        }
        for id in self.links(sharing: room) { self.send(.forkProof(proof), on: id) }
        self.plan(room)
    }

    /// The position before a fork point that the own entries prove; its time matters only for what can no
    /// longer follow.
    private func headBefore(_ proof: ForkProof) -> Head {
        guard let prev = proof.left.prev else { return .start }
        return Head(seq: proof.point - 1, id: prev, time: proof.left.entries[0].time)
    }
}
