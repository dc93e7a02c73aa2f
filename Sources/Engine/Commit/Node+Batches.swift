internal import Crypto
internal import Formats

/// What goes to the store: own entries get their places here, all else waits in ``CommitQueue``.
extension Node {
    /// Whether so much of peers waits for the disk that nothing more is to be read of strangers.
    package var isCrowded: Bool { self.disk.commits.isCrowded }

    /// Gives the store its next batch, if it is free and something waits.
    mutating func startBatch() {
        let isIdle = self.disk.history.isStored && self.disk.commits.isEmpty
        guard !isIdle || !self.mine.offers.isEmpty || !self.mine.reads.due.isEmpty,
            var flight = self.disk.commits.begin()
        else { return }
        for (conversation, drafts) in self.disk.commits.takeDrafts() {
            self.place(drafts, in: conversation, &flight)
        }
        self.placeOwn(in: &flight)
        self.followReads()
        self.leaveWithActs()
        for (id, membership) in self.disk.commits.membership.sorted(by: { $0.key < $1.key })
        where !membership.kind.hasJoins && !self.disk.commits.isResting {
            // No entry says so: it is enough that both show it. It goes with the answer.
            self.disk.commits.takeMembership(of: id, into: &flight, at: self.now)
        }
        self.disk.commits.fill(&flight, release: self.clocks.own.due, at: self.now)
        self.placeKeys(in: &flight)
        self.place(flight.choices, in: &flight)
        // A new incarnation is on disk before anything is written under it, and at every start.
        if !self.disk.history.isStored, !self.disk.commits.isResting || !flight.batch.isEmpty {
            flight.batch.incarnation = self.disk.history.incarnation
        }
        guard flight.batch.isEmpty else { return self.sendBatch(consume flight) }
        // What they are about is on disk already.
        for (request, answer) in flight.answers { self.answer(request, answer) }
    }

    /// Gives the store a batch; of what is in it nobody is told before the answer.
    private mutating func sendBatch(_ flight: consuming InFlight) {
        #if MUTANTS
            if Mutant.acknowledgeBeforeCommit.isActive { self.acknowledgeEarly(&flight) }
            if Mutant.pushBeforeCommit.isActive { self.pushOwn(flight) }
        #endif
        flight.batch.time = self.now.wall
        let verdicts = flight.batch.appends.flatMap(\.verdicts) + flight.batch.fills.map(\.verdict)
        var told = Set(verdicts.flatMap(\.erases).map(\.log.author))
        for members in flight.batch.positions.values { told.formUnion(members.keys) }
        flight.batch.tiers = self.tiers(of: told)
        self.actions.append(.commit(flight.batch))
        self.disk.commits.send(consume flight)
    }

    #if MUTANTS
        /// Answers what is only on its way to the disk.
        private mutating func acknowledgeEarly(_ flight: inout InFlight) {
            let cursors = flight.batch.appends.map { append in
                [Cursor?](repeating: nil, count: append.run.ids.count)
            }
            self.answerDrafts(
                flight,
                BatchOutcome(
                    number: flight.batch.number, cursors: cursors, released: [],
                    held: self.disk.held))
            for index in flight.drafts.indices { flight.drafts[index].request = nil }
        }
    #endif

    /// Gives the drafts of a conversation their places in the own log.
    mutating func place(
        _ all: [Draft], in conversation: ConversationID, _ flight: inout InFlight
    ) {
        var drafts: [Draft] = []
        // One that could not be begun may be gone by now, with the link that had shown it.
        let isJoined =
            self.conversations.table.has(conversation)
            && self.conversations.table[known: conversation].isJoined
        for draft in all {
            let isJoin = if case .join = draft.content { true } else { false }
            // What was written behind a join that could not be stored goes the same way.
            let change = self.disk.commits.membership[conversation]
            let isBegun = change?.kind.hasJoins == false && change?.isJoined == true
            if isJoin || isBegun || isJoined || !drafts.isEmpty {
                drafts.append(draft)
            } else {
                self.dropDraft(draft, self.notMember(in: conversation))
            }
        }
        // One that asks for a key stands for whichever is due by now, if any is.
        let asksForKey = drafts.contains { $0.content.isEpoch }
        drafts.removeAll { $0.content.isEpoch }
        guard !drafts.isEmpty || asksForKey else { return }
        let (sealing, announcement): (ConversationKey?, Draft?)
        do throws(RequestError) {
            (sealing, announcement) = try self.ownKey(in: conversation, &flight)
        } catch {
            for draft in drafts { self.dropDraft(draft, error) }
            return
        }
        if let announcement { drafts.insert(announcement, at: 0) }
        guard !drafts.isEmpty else { return }
        let tail = self.ownTail(in: conversation, before: drafts[0])
        let key = LogKey(conversation: conversation, name: self.ownLog)
        if tail.seq == 0 {
            drafts.insert(self.opening(of: key), at: 0)
            self.makeOwnRoom(in: conversation)
        }
        let (deps, floor) = self.follows(tail, in: conversation)
        var runs = OwnRuns(
            key, after: tail, of: self.own, time: self.clocks.own, sealing: sealing)
        precondition(
            self.conversations.table[known: conversation].room != nil || runs.sealing != nil,
            "what is private is sealed")
        runs.add(drafts, deps: deps, floor: floor, using: &self.random)
        self.conversations.table[known: conversation].setTail(key.name, runs.tail)
        self.conversations.table[known: conversation]
            .setPerson(key.name, self.own.certificate.personID)
        flight.batch.appends += runs.appends
        flight.drafts += drafts
        // The act with which a group is left waits while the store rests, and the end of it here waits for that.
        let change = self.disk.commits.membership[conversation]
        let waits = change?.kind.group != nil && change?.isJoined == false
        guard !waits || !self.disk.commits.isResting else { return }
        self.disk.commits.takeMembership(of: conversation, into: &flight, at: self.now)
    }

    /// What an own log begins with; it closes those that went before it.
    private func opening(of key: LogKey) -> Draft {
        let earlier = self.conversations.table[known: key.conversation]
            .incarnations(of: self.id, besides: key.name.incarnation)
        let opening = LogOpening(
            certificate: self.own.certificate,
            closes: earlier.prefix(Limits.closedLogs).sorted())
        return Draft(
            conversation: key.conversation, content: .open(opening), request: nil, outgoing: nil)
    }

    /// Behind which entry the own log of a conversation goes on.
    ///
    /// One whose time ran ahead cannot go on once the clock is set right, but for the answer to what is later
    /// still, nor one that says to be of another person: then a new incarnation begins.
    private mutating func ownTail(in conversation: ConversationID, before draft: Draft) -> Head {
        let log = self.conversations.table[known: conversation].log(self.ownLog)
        let tail = log.tail
        if self.clocks.own.isTooFarAhead(tail.time), self.clocks.own.answered(by: draft) < tail.time
        {
            self.renewIncarnation(
                "this machine's clock was set back; your history continues under a new incarnation, and nothing is lost"
            )
        } else if tail.seq > 0, log.person != self.own.certificate.personID {
            self.renewIncarnation(
                "this device now belongs to another person; your history continues under a new incarnation"
            )
        } else {
            return tail
        }
        return self.conversations.table[known: conversation].log(self.ownLog).tail
    }

    /// What an own entry follows besides its log's tail: the newest heads of others, later than which
    /// it is.
    private mutating func follows(
        _ tail: Head, in conversation: ConversationID
    ) -> (deps: [EntryID], floor: HybridTime) {
        #if MUTANTS
            if Mutant.forgetDeps.isActive { return ([], HybridTime(0)) }
        #endif
        let time = self.clocks.own
        self.conversations.table[known: conversation].heads.settle(isFollowed: time.isFollowed)
        let (deps, latest) = self.conversations.table[known: conversation].heads.deps(
            besides: tail.id, isFollowed: time.isFollowed)
        return (deps, latest)
    }

    /// Says at the start that own history does not go on where it was left, if there is any.
    mutating func tellNewIncarnation() {
        let hasWritten = self.conversations.table.values.contains { conversation in
            conversation.logs.keys.contains { $0.author == self.id }
        }
        guard !self.disk.history.isStored, hasWritten else { return }
        self.raiseAlert(
            .newIncarnation,
            "the data directory may be an older copy (a restored backup, or the state directory is "
                + "lost); your history continues under a new incarnation, and nothing is lost",
            lasting: Limits.forkAlertMilliseconds)
    }

    /// Tells the user that the store they had is gone, until the next start: a new one looks like a first
    /// start, and all that is missing like something that never was.
    mutating func tellLoss() {
        guard self.disk.isAfterLoss else { return }
        self.raiseAlert(
            .storeLost,
            "the store is new, but there was one: its file is gone, or this is another data directory. "
                + "Your rooms, contacts and messages that nobody else had are gone with it. Stop stoad "
                + "and put the store back if you have a copy; otherwise join your rooms again, and peers "
                + "send what they have (stoa restore brings back rooms and contacts from a backup)")
    }

    mutating func renewIncarnation(_ why: String) {
        self.disk.history = OwnHistory(incarnation: self.random.next(), isStored: false)
        self.raiseAlert(.newIncarnation, why, lasting: Limits.forkAlertMilliseconds)
    }

    var ownLog: LogName { LogName(author: self.id, incarnation: self.disk.history.incarnation) }
}
