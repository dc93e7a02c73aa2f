internal import Crypto
internal import Formats

/// From where a run has come.
enum RunOrigin: Hashable, Sendable {
    case link(LinkID)
    /// By way of servers between sites.
    case site
}

/// What a run is beside what is here of its log.
enum RunFinding: Sendable {
    /// It says nothing new.
    case known
    /// It is of a log that is not read so far.
    case unread
    /// What is before it is not here.
    case early
    /// It is not what its author has signed, in these words.
    case forged(String)
    /// It is of another history than the one here.
    case forking(VerifiedRun)
    /// Its log may not begin here: for want of room, or for whose it is.
    case refused(VerifiedRun, by: PersonID?)
    /// What of it is not here, and what its log begins with.
    case new(VerifiedRun, CheckedOpening?)
}

/// Runs that come in: checked, and given to the store.
extension Node {
    mutating func receiveRun(_ run: Run, _ frame: ReceivedFrame, on id: LinkID) {
        let key = run.key
        #if MUTANTS
            if Mutant.acceptUnshared.isActive, self.conversations.table[key.conversation] != nil,
                let verified = run.verified()
            {
                return self.queueRun(verified, self.opening(of: verified), frame, on: id)
            }
        #endif
        guard self.links.isShared(key.conversation, on: id) else {
            return self.consume(frame.byteCount, on: frame.channel, of: id)
        }
        if self.conversations.table[known: key.conversation].isRequest {
            self.receiveRequest(run, frame, on: id)
            return self.consume(frame.byteCount, on: frame.channel, of: id)
        }
        let conversation = self.conversations.table[known: key.conversation]
        guard conversation.takes(key.name) || conversation.group?.reads(key.name) == true else {
            self.refuseLog(key, on: id)
            return self.consume(frame.byteCount, on: frame.channel, of: id)
        }
        if frame.channel == .live { self.links[id].notePushed(run, at: self.now) }
        let end = self.conversations.table[known: key.conversation].end(of: key.name)
        let isAccepted = self.acceptRun(run, frame, on: id)
        let isRead = self.conversations.table[known: key.conversation].end(of: key.name) > end
        if !isAccepted { self.consume(frame.byteCount, on: frame.channel, of: id) }
        // A live run that overtakes what was asked for says nothing of the question.
        if isAccepted || frame.channel == .sync {
            self.fetched(key, through: run.last, from: id, isProgress: isAccepted || isRead)
        }
    }

    /// Whether a run was taken on; otherwise its bytes have been consumed.
    private mutating func acceptRun(_ run: Run, _ frame: ReceivedFrame, on id: LinkID) -> Bool {
        let key = run.key
        if self.catchUp.forkSearches.isSearching(key, on: id) {
            self.continueForkSearch(run, on: id)
            return false
        }
        switch self.judge(run, from: .link(id)) {
        case .known: return false
        case .unread:
            self.readOnly(run, on: id)
            return false
        case .early:
            // Of a log that is not known here only its beginning says anything.
            if self.conversations.table[known: key.conversation].log(key.name).tail.seq > 0 {
                self.noteSigned(run, on: id)
                self.noteMore(key, seq: run.last, on: id)
            }
            return false
        case .forged(let what):
            self.violation(id, what)
            return false
        case .forking(let verified):
            self.searchFork(of: key, on: id, with: verified)
            return false
        case .refused(let suffix, let person):
            self.refuseLog(key, on: id)
            // Where only room is lacking, the log is asked for again once there is some.
            if let person { self.readRefused(suffix, by: person, on: id) }
            return false
        case .new(let suffix, let opening):
            let log = self.conversations.table[known: key.conversation].log(key.name)
            guard self.takesGroupRun(suffix, by: opening?.person ?? log.person, on: id) else {
                return false
            }
            // Of a log that is known here all links know the name, and of one that is not taken none need.
            if log.tail.seq == 0 { self.learnNewName(key, from: id) }
            self.noteOwn(key)
            self.queueRun(suffix, opening, frame, on: id)
            return true
        }
    }

    /// What a run is beside what is here of its log, also of what is on its way to the disk; a log that begins with it has
    /// its place then.
    mutating func judge(_ run: Run, from origin: RunOrigin) -> RunFinding {
        let key = run.key
        let log = self.conversations.table[known: key.conversation].log(key.name)
        if log.isBeyondFork(run.first) || run.last < log.tail.seq { return .known }
        if run.first > self.conversations.table[known: key.conversation].limit(of: key.name) {
            return .unread
        }
        // Of many peers who bring the same, each but the first says nothing that need be checked.
        if run.last == log.tail.seq, run.ids.last == log.tail.id { return .known }
        if run.first > log.tail.seq + 1 { return .early }
        guard let verified = run.verified() else {
            return .forged("forged run of \(key.name.author.shortText)")
        }
        // The entry at our own head must be the one that we have.
        let theirs =
            run.first == log.tail.seq + 1 ? run.prev : verified.ids[Int(log.tail.seq - run.first)]
        if log.tail.seq > 0 && theirs != log.tail.id { return .forking(verified) }
        // What is new of a run may begin at the fork only.
        guard let suffix = verified.suffix(from: log.tail.seq + 1),
            !log.isBeyondFork(suffix.run.first)
        else { return .known }
        guard suffix.run.entries[0].time > log.tail.time else {
            return .forged("a run of \(key.name.author.shortText) goes back in time")
        }
        let opening = self.opening(of: suffix)
        guard log.tail.seq == 0 else { return .new(suffix, opening) }
        guard self.isAdmitted(opening?.person, of: key) else {
            return .refused(suffix, by: opening?.person)
        }
        return self.makeRoom(for: suffix, opening, from: origin)
            ? .new(suffix, opening) : .refused(suffix, by: nil)
    }

    /// Takes a run that a site has brought; it goes to the disk after what of its log is on the way there.
    mutating func queueRun(
        _ run: VerifiedRun, _ opening: CheckedOpening?, bytes: Int, for request: RequestID
    ) {
        if self.conversations.table[known: run.run.key.conversation].log(run.run.key.name).tail.seq
            == 0
        {
            self.learnName(run.run.key)
        }
        self.noteOwn(run.run.key)
        self.queueRun(run, opening, .sync, bytes, on: nil, for: request)
    }

    private mutating func learnNewName(_ key: LogKey, from id: LinkID) {
        let tag = self.links[id].tags.log(key.name, in: key.conversation)
        let names = self.links[id].shared[known: key.conversation].names
        if names[tag] == nil { self.learnName(key) }
    }

    /// Whether a log of a person may begin: in a conversation of two people only theirs may, in a group those of who was
    /// brought in.
    private func isAdmitted(_ person: PersonID?, of key: LogKey) -> Bool {
        let conversation = self.conversations.table[known: key.conversation]
        if conversation.kind.group != nil {
            return self.shows(1, of: key.name, by: person, in: key.conversation)
        }
        return conversation.kind.direct == nil
            || conversation.admits(person, own: self.own.certificate.personID)
    }

    /// What the log of a run begins with, where it does with this run and that can be read.
    private func opening(of run: VerifiedRun) -> CheckedOpening? {
        guard run.run.first == 1,
            case .open(let opening)? = self.keyring.read(run.envelope(at: 0)).content
        else { return nil }
        let author = run.run.key.name.author
        return CheckedOpening(
            opening, of: author, linked: self.links.link(with: author)?.info.certificate)
    }

    private mutating func queueRun(
        _ run: VerifiedRun, _ opening: CheckedOpening?, _ frame: ReceivedFrame, on id: LinkID
    ) {
        self.queueRun(run, opening, frame.channel, frame.byteCount, on: id)
    }

    private mutating func queueRun(
        _ run: VerifiedRun, _ opening: CheckedOpening?, _ channel: Channel, _ byteCount: Int,
        on id: LinkID?, for request: RequestID? = nil
    ) {
        let key = run.run.key
        let log = self.conversations.table[known: key.conversation].log(key.name)
        let hasPending = log.tail != log.head
        let readings = run.readings(by: self.keyring)
        let person = run.run.first == 1 ? opening?.person : log.person
        var verdicts = run.verdicts(of: readings, in: person, calling: self.mentioned)
        self.conversations.table[known: key.conversation].setTail(
            key.name, log.countedHead(of: run))
        self.conversations.table[known: key.conversation].setPerson(key.name, person)
        // A revocation among them counts for this run already.
        self.takeEarlyRecord(of: key.name.author)
        for index in verdicts.indices
        where self.isRevoked(
            key.name.author, in: person, at: run.run.entries[index].time, of: key.conversation)
        {
            verdicts[index] = verdicts[index].silenced
        }
        let isOfKnown = self.isKnown(key.name.author) || self.isKnown(person)
        var append = Append(
            run: run, verdicts: verdicts, person: person,
            heldFrom: self.clocks.own.heldFrom(run.run.entries, isOfKnown: isOfKnown),
            lateBefore: self.lateBefore(in: key.conversation))
        append.isOfKnown = isOfKnown
        append.keys = opening?.certificate?.keys
        if run.run.first == 1 {
            append.source =
                self.conversations.table[known: key.conversation].log(key.name).charge.source
        }
        // Of many open ones it is read again, since to keep it takes as much memory as they do.
        if run.run.entries.count <= Limits.keptContents || self.keyring.isSealed(key.conversation) {
            append.contents = readings.map(\.content)
        }
        var accepted = Accepted(
            append: append,
            link: id, channel: channel, byteCount: byteCount,
            isOfKnown: id.map { self.isOfKnown($0) } ?? false || isOfKnown)
        accepted.request = request
        self.enqueueRun(accepted, hasPending: hasPending)
    }

    /// Gives a run to the store's queue: from here on it is under way, and not yet had.
    private mutating func enqueueRun(_ accepted: Accepted, hasPending: Bool) {
        #if MUTANTS
            if Mutant.claimBeforeCommit.isActive {
                _ = self.conversations.table[known: accepted.key.conversation]
                    .append(accepted.append.run)
                self.markDirty(accepted.key)
            }
            if Mutant.creditBeforeCommit.isActive, let link = accepted.link {
                self.consume(accepted.byteCount, on: accepted.channel, of: link)
            }
        #endif
        self.disk.commits.add(accepted, hasPending: hasPending)
    }

    /// Returns the credit of a run that is on disk, or will never be.
    mutating func returnCredit(for accepted: Accepted) {
        if let request = accepted.request {
            self.disk.siteImports.settleRun(of: request)
            self.settleSite(request)
        }
        guard let link = accepted.link else { return }
        #if MUTANTS
            if Mutant.creditBeforeCommit.isActive { return }
            if Mutant.creditTwice.isActive {
                self.consume(accepted.byteCount, on: accepted.channel, of: link)
            }
        #endif
        self.consume(accepted.byteCount, on: accepted.channel, of: link)
    }

    /// Entries older than this arrive late; none do before the user has been in the room for a while.
    private func lateBefore(in id: ConversationID) -> HybridTime {
        let conversation = self.conversations.table[known: id]
        // What is dated ahead must not make all else late.
        let newest = min(conversation.latestShown.milliseconds, self.clocks.own.now)
        let joined = conversation.attendance[self.id]?.time.milliseconds ?? newest
        guard newest > joined + Limits.lateMilliseconds else { return HybridTime(0) }
        return HybridTime(wallMilliseconds: newest - Limits.lateMilliseconds)
    }

    /// Own entries come back that this start does not know: the running log must not go on.
    private mutating func noteOwn(_ key: LogKey) {
        guard key.name == self.ownLog else { return }
        self.renewIncarnation(
            "a peer has messages of yours that this data directory lacks (restored backup?); they "
                + "come back, and your history continues under a new incarnation")
    }

    /// A run shows that the peer has more than its clock said.
    private mutating func noteMore(_ key: LogKey, seq: UInt64, on id: LinkID) {
        let number = self.conversations.table[known: key.conversation].numbers.number(of: key.name)
        self.links[id].shared[known: key.conversation].noteMore(number, seq: seq)
        self.seek(key, on: id, from: self.now.monotonic)
        self.planFetches(in: key.conversation, for: id)
    }
}
