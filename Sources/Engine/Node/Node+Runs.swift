internal import Crypto

/// Runs that come in: checked, and given to the store.
extension Node {
    mutating func received(_ run: Run, _ frame: ReceivedFrame, on id: LinkID) {
        let key = run.key
        guard self.links[id]?.shared.has(key.conversation) == true,
            self.conversationTable[key.conversation]?.takes(key.name) == true
        else { return self.consume(frame.byteCount, on: frame.channel, of: id) }
        if frame.channel == .live { self.links[id]?.notePushed(run, at: self.now) }
        let isAccepted = self.accept(run, frame, on: id)
        if !isAccepted { self.consume(frame.byteCount, on: frame.channel, of: id) }
        // A live run that overtakes what was asked for says nothing of the question.
        if isAccepted || frame.channel == .sync {
            self.fetched(key, through: run.last, from: id, isProgress: isAccepted)
        }
    }

    /// Whether a run was taken on; otherwise its bytes have been consumed.
    private mutating func accept(_ run: Run, _ frame: ReceivedFrame, on id: LinkID) -> Bool {
        let key = run.key
        let log = self.conversationTable[key.conversation]?.log(key.name) ?? Log()
        if self.forkSearches[key]?.link == id {
            self.continueForkSearch(run, on: id)
            return false
        }
        if log.isBeyondFork(run.first) || run.last < log.tail.seq { return false }
        if run.first > log.tail.seq + 1 {
            // Of a log that is not known here only its beginning says anything.
            if log.tail.seq > 0 { self.noteMore(key, seq: run.last, on: id) }
            return false
        }
        guard let verified = run.verified() else {
            self.violation(id, "forged run of \(key.name.author.shortText)")
            return false
        }
        // Of a log that is known here all links know the name.
        if log.tail.seq == 0 { self.learnName(key, from: id) }
        // The entry at our own head must be the one that we have.
        let theirs =
            run.first == log.tail.seq + 1 ? run.prev : verified.ids[Int(log.tail.seq - run.first)]
        if log.tail.seq > 0 && theirs != log.tail.id {
            self.searchFork(of: key, on: id, with: verified)
            return false
        }
        // What is new of a run may begin at the fork only.
        guard let suffix = verified.suffix(from: log.tail.seq + 1),
            !log.isBeyondFork(suffix.run.first)
        else { return false }
        guard suffix.run.entries[0].time > log.tail.time else {
            self.violation(id, "a run of \(key.name.author.shortText) goes back in time")
            return false
        }
        self.noteOwn(key)
        self.queue(suffix, frame, on: id)
        return true
    }

    private mutating func queue(_ run: VerifiedRun, _ frame: ReceivedFrame, on id: LinkID) {
        let key = run.run.key
        guard let log = self.conversationTable[key.conversation]?.log(key.name) else { return }
        let hasPending = log.tail != log.head
        self.conversationTable[key.conversation]?.setTail(key.name, log.countedHead(of: run))
        #if MUTANTS
            if Mutant.claimBeforeCommit.isActive {
                _ = self.conversationTable[key.conversation]?.append(run)
                self.markDirty(key)
            }
        #endif
        self.takeEarlyRecord(of: key.name.author)
        let accepted = Accepted(
            append: Append(
                run: run, heldFrom: self.heldFrom(run.run.entries),
                lateBefore: self.lateBefore(in: key.conversation)),
            link: id, channel: frame.channel, byteCount: frame.byteCount)
        #if MUTANTS
            if Mutant.creditBeforeCommit.isActive {
                self.consume(frame.byteCount, on: frame.channel, of: id)
            }
        #endif
        let isBehindBulk =
            hasPending && self.commitQueue.sync.contains { $0.append.run.run.key == key }
        if frame.channel == .live && !isBehindBulk {
            self.commitQueue.live.append(accepted)
        } else {
            self.commitQueue.sync.append(accepted)
        }
    }

    /// Entries older than this arrive late; none do before the user has been in the room for a while.
    private func lateBefore(in id: ConversationID) -> HybridTime {
        guard let conversation = self.conversationTable[id] else { return HybridTime(0) }
        let newest = conversation.latestShown.milliseconds
        let joined = conversation.attendance[self.id]?.time.milliseconds ?? newest
        guard newest > joined + Limits.lateMilliseconds else { return HybridTime(0) }
        return HybridTime(wallMilliseconds: newest - Limits.lateMilliseconds)
    }

    /// Own entries come back that this start does not know: the running log must not go on.
    private mutating func noteOwn(_ key: LogKey) {
        guard key.name == self.ownLog else { return }
        self.renewIncarnation(
            "a peer holds own messages that this data directory lacks (restored backup?); they "
                + "come back, and own history goes on under a new incarnation")
    }

    /// A run shows that the peer has more than its clock said.
    private mutating func noteMore(_ key: LogKey, seq: UInt64, on id: LinkID) {
        let room = key.conversation
        guard let shared = self.links[id]?.shared[room],
            let tag = self.links[id]?.tag(key.name, in: room)
        else { return }
        if (shared.rows[key.name]?.seq ?? 0) < seq {
            self.links[id]?.shared[room]?.rows[key.name] = ClockRow(
                tag: tag, seq: seq, headTag: 0, state: .open)
        }
        self.seek(key, on: id, from: self.now.monotonic)
        self.plan(room)
    }

    /// Remembers which log a tag means, on every link that shares the conversation.
    private mutating func learnName(_ key: LogKey, from id: LinkID) {
        let room = key.conversation
        guard let tag = self.links[id]?.tag(key.name, in: room),
            self.links[id]?.shared[room]?.names[tag] == nil
        else { return }
        for other in self.links(sharing: room) {
            guard let tag = self.links[other]?.tag(key.name, in: room) else { continue }
            self.links[other]?.shared[room]?.names[tag] = key.name
            if let row = self.links[other]?.shared[room]?.unknown.removeValue(forKey: tag) {
                self.links[other]?.shared[room]?.rows[key.name] = row
                self.seek(key, on: other, from: self.now.monotonic)
            }
        }
    }

    /// A run of a fetch has come: it lives on, or is done.
    ///
    /// Only what is new lets it live on: a peer must not hold up a log with what is here already.
    private mutating func fetched(
        _ key: LogKey, through seq: UInt64, from id: LinkID, isProgress: Bool
    ) {
        // Whatever was asked for is a want of the link.
        guard self.links[id]?.openWants ?? 0 > 0 else { return }
        self.discovered(key, from: id)
        guard let fetch = self.fetches[key], fetch.link == id else { return }
        if isProgress { self.links[id]?.missedWants = 0 }
        if seq >= fetch.through {
            self.endFetch(key)
            let tail = self.conversationTable[key.conversation]?.log(key.name).tail.seq ?? 0
            if !isProgress && tail < fetch.through {
                self.links[id]?.missedWants += 1
                self.links[id]?.shared[key.conversation]?.lacking[key.name] = nil
            }
            self.plan(key.conversation)
        } else if isProgress {
            self.fetches[key]?.deadline = self.now.monotonic + Limits.wantMilliseconds
        }
    }

    /// A run answers the question for a log's first entries: what is left of it is a fetch.
    private mutating func discovered(_ key: LogKey, from id: LinkID) {
        let room = key.conversation
        guard let tag = self.links[id]?.tag(key.name, in: room),
            let fetch = self.links[id]?.shared[room]?.discoveries.removeValue(forKey: tag)
        else { return }
        self.links[id]?.shared[room]?.unknown[tag] = nil
        // Who answers is not slow, however much it was asked for.
        self.links[id]?.shared[room]?.patience = self.now.monotonic + Limits.discoveryMilliseconds
        if self.fetches[key] == nil {
            self.fetches[key] = fetch
        } else {
            // The log became known by another peer meanwhile.
            self.endWant(on: id)
        }
    }
}
