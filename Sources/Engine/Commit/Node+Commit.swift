internal import Formats

/// What has become of a batch: what is on disk is shown, counted, pushed and answered.
extension Node {
    mutating func batchCommitted(_ outcome: BatchOutcome) {
        let flight = self.disk.commits.finish()
        precondition(flight.batch.number == outcome.number, "the store answers its batch")
        if flight.batch.incarnation == self.disk.history.incarnation {
            self.disk.history.isStored = true
        }
        self.alerts.clear(.storage, at: self.now)
        self.catchUp.payloadWants.noteWritten()
        self.noteWritten()
        self.disk.held = outcome.held
        self.settleMadeKeys(flight.madeKeys)
        self.settlePlacedKeys(flight)
        self.settleGroups(flight)
        var changes: [Change] = []
        let gone = outcome.gone
        var isTold = false
        for (index, append) in flight.batch.appends.enumerated() {
            self.settleRun(
                append, isOwn: index < flight.ownAppends, cursors: outcome.cursors[index],
                gone, &changes)
            isTold = self.takeOwn(append) || isTold
            if index >= flight.ownAppends { self.noteReadElsewhere(append) }
        }
        for entry in outcome.released { self.settleReleased(entry, &changes) }
        // A join is pushed to those with whom the room is shared from here on, a leave to those with
        // whom it was until here.
        let membership = flight.batch.membership.sorted { $0.key < $1.key }
        for (id, change) in membership where change.isJoined { self.joined(id) }
        self.pushOwn(flight)
        for (id, change) in membership where !change.isJoined { self.left(id) }
        // A message that is given with what is said of it is not given without.
        let cursors = Set(outcome.filled.map(\.cursor))
        if !cursors.isEmpty { changes.removeAll { cursors.contains($0.cursor) } }
        for entry in outcome.filled
        where !gone.contains(EntryPlace(key: entry.key, seq: entry.seq)) {
            if let message = Message(entry, by: self.keyring) { changes.append(.message(message)) }
        }
        for proof in flight.batch.proofs { self.spread(proof) }
        self.settleDrops(outcome.drops)
        self.readmitRoomless()
        self.settleSizes(outcome.sizes)
        self.settleArrivals(flight.arrivals)
        self.settleErasures(outcome.erased)
        self.settleExpiry(outcome.expired)
        for record in flight.batch.records { self.settleRecord(record) }
        self.thinRecords()
        for entry in outcome.filled + outcome.released {
            self.receipts.marks.noteUnread(
                entry.key.name, from: entry.seq, in: entry.key.conversation)
        }
        self.settleReads(outcome.reads)
        self.answerDrafts(flight, outcome)
        for accepted in flight.accepted { self.returnCredit(for: accepted) }
        for credit in flight.proofCredits {
            self.consume(credit.byteCount, on: credit.channel, of: credit.link)
        }
        self.settleStandings(flight.batch.people)
        self.settleChoices(of: flight)
        for (request, answer) in flight.answers { self.answer(request, answer) }
        changes += zip(outcome.notices, flight.batch.notices).map { .notice($0, $1) }
        changes += outcome.ownNotices.map { .notice($0.cursor, $0.notice) }
        for gone in outcome.withdrawn {
            if let conversation = gone.conversation {
                self.perform(self.transfers.withdraw(gone.blob, in: conversation))
            } else {
                self.releaseFile(gone.blob)
            }
        }
        for case .message(let message) in changes {
            guard case .file(let file) = message.content else { continue }
            self.noteFile(file, of: message.author, in: message.conversation)
        }
        if !changes.isEmpty {
            changes.sort { $0.cursor < $1.cursor }
            self.perform(self.signals.shown(changes))
            self.actions.append(.show(changes))
        }
        self.armRelease()
        if isTold { self.followOwn() }
    }

    /// - Parameter gone: what the same batch has erased or given up, which nobody is shown any more.
    private mutating func settleRun(
        _ append: Append, isOwn: Bool, cursors: [Cursor?], _ gone: Set<EntryPlace>,
        _ changes: inout [Change]
    ) {
        let run = append.run.run
        let id = run.key.conversation
        let log = self.conversations.table[known: id].append(append.run)
        self.catchUp.holes.settle(id, at: self.now.monotonic)
        if let person = append.person, let keys = append.keys {
            self.persons.people.learn(run.key.name.author, person, keys)
            self.inheritStanding(run.key.name.author, of: person)
        }
        if !isOwn { self.lookAtPerson(of: append) }
        if run.first == 1 { self.noteDevices(in: id) }
        self.noteWanted(append)
        self.tellAwaiting(append)
        self.markDirty(run.key)
        if !isOwn {
            self.feedReturned(run.key)
            self.noteStored(in: id)
        }
        self.settleHeads(append, isOwn: isOwn, cursors: cursors)
        self.noteHeld(append, cursors: cursors)
        #if MUTANTS
            if Mutant.protectFollowed.isActive { self.protectFollowed(by: run) }
        #endif
        if append.bringsStream { self.lookAtStreams(in: id, isNew: true) }
        for (index, cursor) in cursors.enumerated() {
            let seq = run.first + UInt64(index)
            let entry = run.entries[index]
            let verdict = append.verdicts[index]
            // A control entry takes effect when it comes, also while it is held.
            if !log.isBeyondFork(seq) {
                self.attend(verdict.attendance, run.key, seq: seq, entry.time)
            }
            guard let cursor, verdict.isSeen, !gone.contains(EntryPlace(key: run.key, seq: seq)),
                let content = self.content(of: append, at: index)
            else { continue }
            self.noteAnswer(content, by: run.key.name.author, at: entry.time, in: id)
            changes.append(
                .message(
                    Message(
                        cursor: cursor, id: append.run.ids[index], conversation: id,
                        place: LogPosition(log: run.key.name, seq: seq), content: content,
                        time: entry.time, isLate: entry.time < append.lateBefore,
                        isDisputed: log.isBeyondFork(seq))))
        }
    }

    /// What an entry of a run says; nil where nothing of it can be shown.
    func content(of append: Append, at index: Int) -> Content? {
        if !append.contents.isEmpty { return append.contents[index] }
        return self.keyring.read(append.run.envelope(at: index)).content
    }

    /// Counts the entries of a run that are shown: what own entries follow, and how new it is.
    private mutating func settleHeads(_ append: Append, isOwn: Bool, cursors: [Cursor?]) {
        let run = append.run.run
        let id = run.key.conversation
        // Own entries follow one another, and what they name, in any case.
        let early = isOwn ? cursors.count : self.clocks.own.unfollowedFrom(run.entries)
        for index in cursors.indices where cursors[index] != nil {
            let entry = run.entries[index]
            if index >= early {
                self.conversations.table[known: id].heads.showEarly(
                    append.run.ids[index], at: entry.time, of: run.key.name)
            } else {
                let isFollowed = index + 1 < early && cursors[index + 1] != nil
                self.conversations.table[known: id].heads.show(
                    append.run.ids[index], entry, of: run.key.name, isFollowed: isFollowed)
            }
            self.conversations.table[known: id].noteShown(at: entry.time)
            self.clocks.note(shown: entry.time)
        }
    }

    private mutating func settleReleased(_ entry: StoredEntry, _ changes: inout [Change]) {
        let id = entry.key.conversation
        self.noteReleased(entry)
        let person = self.conversations.table[known: id].log(entry.key.name).person
        guard !self.isRevoked(entry.key.name.author, in: person, at: entry.time, of: id) else {
            return
        }
        let isHere = self.conversations.table[known: id].logs.has(entry.key.name)
        if !entry.isDisputed && isHere {
            let time = self.clocks.own
            self.conversations.table[known: id].heads.release(
                entry.id, at: entry.time, of: entry.key.name, isFollowed: time.isFollowed)
            self.conversations.table[known: id].noteShown(at: entry.time)
        }
        guard let message = Message(entry, by: self.keyring) else { return }
        changes.append(.message(message))
    }

    private mutating func attend(
        _ isPresent: Bool?, _ key: LogKey, seq: UInt64, _ time: HybridTime
    ) {
        guard let isPresent else { return }
        self.changedRooms([key.conversation])
        self.conversations.table[known: key.conversation].attend(
            key.name.author,
            Attendance(
                isPresent: isPresent, time: time, incarnation: key.name.incarnation, seq: seq))
    }

    mutating func answerDrafts(_ flight: InFlight, _ outcome: BatchOutcome) {
        var next = 0
        for (index, append) in flight.batch.appends.prefix(flight.ownAppends).enumerated() {
            let run = append.run.run
            self.receipts.waits.ownIDs.add(append.run)
            for (offset, entry) in run.entries.enumerated() {
                let message = SentMessage(
                    id: append.run.ids[offset], conversation: run.key.conversation,
                    cursor: outcome.cursors[index][offset], time: entry.time)
                self.answerDraft(
                    flight.drafts[next], message, run.key, seq: run.first + UInt64(offset))
                next += 1
            }
        }
    }

    private mutating func answerDraft(
        _ draft: Draft, _ message: SentMessage, _ key: LogKey, seq: UInt64
    ) {
        if let used = draft.outgoing.flatMap({ IdempotencyKey($0) }) {
            for request in self.disk.recentKeys.finish(used, message) {
                let wait = self.receipts.waits.takeKept(of: request)
                self.answerRepeated(request, message, waiting: wait)
            }
        }
        guard let request = draft.request else { return }
        switch draft.content {
        case .join:
            self.answer(request, .joined(key.conversation))
        case .leave:
            self.answer(request, .left(key.conversation))
        case .erase:
            self.answer(request, .erased(message.id))
        default:
            precondition(
                draft.outgoing != nil,
                "nobody asks for what only begins a log")
            if let wait = draft.outgoing?.wait {
                self.awaitDelivery(
                    Delivery(request: request, key: key, seq: seq, message: message, wait: wait))
            } else {
                self.answerSent(request, message)
            }
        }
    }

    /// Gives a draft up and tells all who wait for it.
    mutating func dropDraft(_ draft: Draft, _ error: RequestError) {
        let used = draft.outgoing.flatMap { IdempotencyKey($0) }
        let joined = used.map { self.disk.recentKeys.finish($0, nil) } ?? []
        for request in joined + [draft.request].compactMap({ $0 }) {
            _ = self.receipts.waits.takeKept(of: request)
            self.answer(request, .failed(error))
        }
    }

    /// None of the batch is on disk: whoever waited for it is told, and what peers sent is asked for
    /// again.
    mutating func batchFailed(_ failure: StoreFailure) {
        let flight = self.disk.commits.finish()
        self.raiseAlert(.storage, "\(failure.detail); \(failure.remedy)")
        for draft in flight.drafts { self.dropDraft(draft, .storage(failure)) }
        for (request, _) in flight.answers { self.answer(request, .failed(.storage(failure))) }
        for arrival in flight.arrivals {
            self.catchUp.payloadWants.lose(arrival.key, on: arrival.link, at: self.now.monotonic)
            self.dropArrival(arrival)
        }
        if flight.batch.expiry != nil, let request = self.disk.commits.expiries.fail() {
            self.answer(request, .failed(.storage(failure)))
        }
        self.resetTails()
        // A link whose entries were dropped cannot be told to send them again; a new one can.
        let dropped = self.disk.commits.fail(flight)
        self.dropUnbegun(flight.batch.membership)
        self.groupsFailed(flight)
        for link in dropped.links where self.links.has(link) {
            self.close(link, .storage, "the disk cannot be written")
        }
        for request in self.disk.siteImports.fail() {
            self.answer(request, .failed(.storage(failure)))
        }
        for key in dropped.keys { self.seekAgain(key) }
        self.actions.append(
            .arm(.storage, at: self.now.monotonic + Limits.storageRetryMilliseconds))
    }

    /// Asks other links for what was dropped: while it was on its way to the disk, they had nothing
    /// to be asked for.
    mutating func seekAgain(_ key: LogKey) {
        let log = self.conversations.table[known: key.conversation].log(key.name)
        let numbers = self.conversations.table[known: key.conversation].numbers
        for id in self.links.sharing(key.conversation) {
            let told = self.links[id].shared[known: key.conversation].seq(of: key.name, numbers)
            if told > log.head.seq { self.seek(key, on: id, from: self.now.monotonic) }
        }
        self.planFetches(in: key.conversation)
    }

    /// Forgets what was accepted but will not reach the disk.
    private mutating func resetTails() {
        #if MUTANTS
            if Mutant.countFailedCommits.isActive { return }
        #endif
        for id in self.conversations.table.keys { self.conversations.table[known: id].resetTails() }
    }
}

extension Append {
    /// Whether a stream has brought something, here or still to be fetched.
    fileprivate var bringsStream: Bool {
        self.run.run.entries.contains { $0.entryClass == EntryClass.stream.rawValue }
    }
}

extension BatchOutcome {
    /// Where payloads are no longer here, by this batch.
    fileprivate var gone: Set<EntryPlace> {
        var gone = Set(self.expired?.entries ?? [])
        for erasure in self.erased {
            gone.insert(EntryPlace(key: erasure.key, seq: erasure.target.seq))
        }
        return gone
    }
}
