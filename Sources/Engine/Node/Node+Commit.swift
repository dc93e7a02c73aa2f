internal import Crypto

/// Batches: one at a time, each with all that had gathered while the one before was written.
///
/// So a group commit grows with load: one transaction, one fsync, and per log one attestation.
extension Node {
    /// Gives the store its next batch, if it is free and something waits.
    mutating func startBatch() {
        guard self.inFlight == nil, !self.isIncarnationStored || !self.commitQueue.isEmpty else {
            return
        }
        var batch = Batch(number: self.batchNumber + 1)
        var flight = InFlight(
            batch: batch, drafts: [], ownAppends: 0, accepted: [], profileRequests: [])
        self.takeDrafts(&batch, &flight)
        flight.ownAppends = batch.appends.count
        if self.storageRetryAt == nil {
            self.takeAccepted(&batch, &flight)
            self.takeSmallThings(&batch, &flight)
        }
        // A new incarnation is on disk before anything is written under it, and at every start.
        if !self.isIncarnationStored, self.storageRetryAt == nil || !batch.isEmpty {
            batch.incarnation = self.incarnation
        }
        guard !batch.isEmpty else { return }
        self.batchNumber = batch.number
        flight.batch = batch
        #if MUTANTS
            if Mutant.acknowledgeBeforeCommit.isActive { self.acknowledge(&flight) }
            if Mutant.pushBeforeCommit.isActive { self.pushOwn(flight) }
        #endif
        self.inFlight = flight
        self.actions.append(.commit(batch))
    }

    #if MUTANTS
        /// Answers what is only on its way to the disk.
        private mutating func acknowledge(_ flight: inout InFlight) {
            let cursors = flight.batch.appends.map { append in
                [Cursor?](repeating: nil, count: append.run.ids.count)
            }
            self.answerDrafts(
                flight,
                BatchOutcome(
                    number: flight.batch.number, cursors: cursors, released: [], held: self.held))
            for index in flight.drafts.indices { flight.drafts[index].request = nil }
        }
    #endif

    private mutating func takeSmallThings(_ batch: inout Batch, _ flight: inout InFlight) {
        guard self.commitQueue.hasSmallThings else { return }
        batch.records = self.commitQueue.records.sorted { $0.key < $1.key }.map(\.value)
        batch.proofs = self.commitQueue.proofs
        batch.peers = self.commitQueue.peers.sorted { $0.key < $1.key }.map(\.value)
        flight.profileRequests = self.commitQueue.profileRequests
        if self.commitQueue.release {
            batch.release = HybridTime(
                wallMilliseconds: self.commonTime + Limits.aheadMilliseconds)
        }
        self.commitQueue.records = [:]
        self.commitQueue.proofs = []
        self.commitQueue.peers = [:]
        self.commitQueue.profileRequests = []
        self.commitQueue.release = false
    }

    private mutating func takeAccepted(_ batch: inout Batch, _ flight: inout InFlight) {
        // Live runs go before bulk, but a log's own order must hold: once a log has a run in the
        // bulk queue, its live runs have been queued there behind it.
        // Who has only joined waits for what it catches up with.
        let hasLive =
            flight.drafts.contains { $0.content.kind.traits.isLive }
            || self.commitQueue.live.contains { $0.append.run.run.isLive }
        if hasLive { self.smallBatchesUntil = self.now.monotonic + Limits.liveMilliseconds }
        let isLive = self.now.monotonic < self.smallBatchesUntil
        let limit = isLive ? Limits.runsPerLiveBatch : Limits.runsPerBatch
        let bulk = isLive ? Limits.bulkRunsPerLiveBatch : Limits.runsPerBatch
        let count = Self.fitting(self.commitQueue.live, runs: limit)
        var live: [Accepted] = []
        if count == self.commitQueue.live.count {
            swap(&live, &self.commitQueue.live)
        } else {
            live = Array(self.commitQueue.live.prefix(count))
            self.commitQueue.live.removeFirst(count)
        }
        for accepted in live { Self.take(accepted, &batch, &flight) }
        // A live message that had to wait for bulk does not wait for more of it.
        let isAlone = hasLive && self.hadCatchUp
        self.hadCatchUp = false
        guard !isAlone, !self.commitQueue.sync.isEmpty else { return }
        // Bulk gets on however many live runs come, but not with what follows one that still waits.
        let left = Set(self.commitQueue.live.map(\.append.run.run.key))
        let size = live.reduce(0) { $0 + Self.size(of: $1) }
        let rest = limit - (size + Self.fullRun - 1) / Self.fullRun
        let sync = self.commitQueue.sync
            .prefix(Self.fitting(self.commitQueue.sync, runs: max(1, min(bulk, rest))))
            .prefix { !left.contains($0.append.run.run.key) }
        self.commitQueue.sync.removeFirst(sync.count)
        self.hadCatchUp = !sync.isEmpty
        batch.isBesideLive = isLive && !sync.isEmpty
        for accepted in sync { Self.take(accepted, &batch, &flight) }
    }

    private static func take(
        _ accepted: Accepted, _ batch: inout Batch, _ flight: inout InFlight
    ) {
        batch.appends.append(accepted.append)
        flight.accepted.append(accepted)
    }

    /// What a full run counts for in a transaction.
    private static var fullRun: Int { 16 }

    /// What a run counts for, by its entries or its bytes; each costs its log's row in any case.
    private static func size(of accepted: Accepted) -> Int {
        let entries = accepted.append.run.run.entries.count
        let part = max(
            Self.fullRun * entries / Limits.runEntries,
            Self.fullRun * accepted.byteCount / Limits.runFrameBytes)
        return 1 + min(part, Self.fullRun - 1)
    }

    /// How many of the first runs have room where so many full ones have.
    private static func fitting(_ waiting: [Accepted], runs: Int) -> Int {
        var left = runs * Self.fullRun
        var count = 0
        while count < waiting.count {
            left -= Self.size(of: waiting[count])
            guard left >= 0 else { break }
            count += 1
        }
        return count
    }

    // MARK: Own entries

    private mutating func takeDrafts(_ batch: inout Batch, _ flight: inout InFlight) {
        guard !self.commitQueue.drafts.isEmpty else { return }
        let taken = self.commitQueue.drafts.removeFirst(atMost: Limits.draftsPerBatch)
        for (conversation, all) in taken.sorted(by: { $0.conversation < $1.conversation }) {
            var drafts: [Draft] = []
            for draft in all {
                let isJoin = if case .join = draft.content { true } else { false }
                // What was written behind a join that could not be stored goes the same way.
                if isJoin || !drafts.isEmpty
                    || self.conversationTable[conversation]?.isJoined == true
                {
                    drafts.append(draft)
                } else {
                    self.drop(draft, .notMember)
                }
            }
            guard !drafts.isEmpty else { continue }
            let tail = self.ownTail(in: conversation)
            self.chain(drafts, conversation, after: tail, &batch)
            flight.drafts.append(contentsOf: drafts)
            if let membership = self.commitQueue.membership.removeValue(forKey: conversation) {
                batch.membership[conversation] = membership
            }
        }
    }

    /// Behind which entry the own log of a conversation goes on.
    ///
    /// One whose time ran ahead of everybody's cannot go on once the clock is set right: then a new
    /// incarnation begins.
    private mutating func ownTail(in conversation: ConversationID) -> Head {
        let tail = self.conversationTable[conversation]?.log(self.ownLog).tail ?? .start
        guard self.isAhead(tail.time), HybridTime(wallMilliseconds: self.now.wall) < tail.time
        else {
            return tail
        }
        self.renewIncarnation(
            "this machine's clock ran ahead and was set back; own history goes on anew")
        return self.conversationTable[conversation]?.log(self.ownLog).tail ?? .start
    }

    mutating func renewIncarnation(_ why: String) {
        self.incarnation = self.random.next()
        self.isIncarnationStored = false
        self.raiseAlert(.newIncarnation, why)
    }

    var ownLog: LogName { LogName(author: self.id, incarnation: self.incarnation) }

    /// Gives drafts their places in the own log and attests them run by run.
    private mutating func chain(
        _ drafts: [Draft], _ conversation: ConversationID, after start: Head, _ batch: inout Batch
    ) {
        let name = self.ownLog
        let key = LogKey(conversation: conversation, name: name)
        var (deps, floor) = self.follows(start, in: conversation)
        #if MUTANTS
            if Mutant.forgetDeps.isActive { (deps, floor) = ([], HybridTime(0)) }
        #endif
        var gathered: [Entry] = []
        var ids: [EntryID] = []
        var keys: [Int: String] = [:]
        var bytes = 0
        var (start, tail) = (start, start)
        for (index, draft) in drafts.enumerated() {
            let time = self.ownTime(after: max(tail.time, floor))
            let entry = Entry(
                kind: draft.content.kind.rawValue, time: time, deps: deps,
                payload: .present(draft.content.payload(using: &self.random)))
            // What one run can hold stays one: a peer writes each run that it gets at once.
            let left = drafts.count - index
            if gathered.count == Limits.attestedEntries && gathered.count + left > Limits.runEntries
                || gathered.count == Limits.runEntries
                || bytes + entry.runBytes > Limits.runEntryBytes
            {
                batch.appends.append(self.attest(gathered, ids, keys, key, after: start))
                start = tail
                (gathered, ids, keys, bytes) = ([], [], [:], 0)
            }
            if let text = draft.outgoing?.idempotencyKey { keys[gathered.count] = text }
            let id = entry.id(key: key, seq: tail.seq + 1, prev: tail.seq == 0 ? nil : tail.id)
            gathered.append(entry)
            ids.append(id)
            bytes += entry.runBytes
            tail = Head(seq: tail.seq + 1, id: id, time: time)
            (deps, floor) = ([], HybridTime(0))
        }
        batch.appends.append(self.attest(gathered, ids, keys, key, after: start))
        self.conversationTable[conversation]?.setTail(name, tail)
        self.latestOwnTime = max(self.latestOwnTime, tail.time)
    }

    /// What an own entry follows besides its log's tail: the newest heads of others, later than which
    /// it is.
    private func follows(
        _ tail: Head, in conversation: ConversationID
    ) -> (deps: [EntryID], floor: HybridTime) {
        guard let all = self.conversationTable[conversation]?.deps(besides: tail.id) else {
            preconditionFailure("drafts are made for known conversations only")
        }
        guard !all.isEmpty else { return ([], HybridTime(0)) }
        let times = all.map {
            self.conversationTable[conversation]?.time(ofHead: $0) ?? HybridTime(0)
        }
        let deps = zip(all, times).filter { !self.isAhead($1) }
        return (deps.map(\.0), deps.map(\.1).max() ?? HybridTime(0))
    }

    /// `max(wall, 1 + what came before)`: never goes back, whatever the wall clock does.
    private func ownTime(after earlier: HybridTime) -> HybridTime {
        let wall = HybridTime(wallMilliseconds: self.now.wall)
        guard let next = earlier.next else {
            preconditionFailure("times at the end of time are ahead and so never followed")
        }
        #if MUTANTS
            if Mutant.followTheWallClock.isActive { return wall }
        #endif
        return max(wall, next)
    }

    private func attest(
        _ entries: [Entry], _ ids: [EntryID], _ keys: [Int: String], _ key: LogKey,
        after start: Head
    ) -> Append {
        let last = start.seq + UInt64(entries.count)
        let attestation = Attestation.sign(
            key: key, seq: last, id: ids[ids.count - 1], by: self.signer)
        let run = VerifiedRun(
            run: Run(
                key: key, first: start.seq + 1, prev: start.seq == 0 ? nil : start.id,
                attestation: attestation, entries: entries),
            ids: ids)
        return Append(run: run, heldFrom: self.heldFrom(entries), keys: keys)
    }

    /// The index from which entries are ahead of time; times grow, so all behind it are, too.
    func heldFrom(_ entries: [Entry]) -> Int {
        // Where the last one is due, as nearly always, all are.
        guard let last = entries.last, self.isAhead(last.time) else { return entries.count }
        return entries.firstIndex { self.isAhead($0.time) } ?? entries.count
    }

    // MARK: Outcomes

    mutating func committed(_ outcome: BatchOutcome) {
        guard let flight = self.inFlight.take(), flight.batch.number == outcome.number else {
            preconditionFailure("the store answers the batch that it was given")
        }
        if flight.batch.incarnation == self.incarnation { self.isIncarnationStored = true }
        self.alerts.clear(.storage)
        self.held = outcome.held
        var messages: [Message] = []
        for (index, append) in flight.batch.appends.enumerated() {
            self.settle(
                append, isOwn: index < flight.ownAppends, cursors: outcome.cursors[index],
                &messages)
        }
        var last: [LogKey: EntryID] = [:]
        for entry in outcome.released {
            // Of each log only the last one can be followed.
            if let earlier = last.updateValue(entry.id, forKey: entry.key) {
                self.conversationTable[entry.key.conversation]?.follow(earlier)
            }
            self.settleReleased(entry, &messages)
        }
        self.settleMembership(flight.batch.membership)
        for record in flight.batch.records { self.settleRecord(record) }
        self.pushOwn(flight)
        self.answerDrafts(flight, outcome)
        for accepted in flight.accepted {
            #if MUTANTS
                if Mutant.creditBeforeCommit.isActive { continue }
            #endif
            self.consume(accepted.byteCount, on: accepted.channel, of: accepted.link)
        }
        #if MUTANTS
            for accepted in flight.accepted where Mutant.creditTwice.isActive {
                self.consume(accepted.byteCount, on: accepted.channel, of: accepted.link)
            }
        #endif
        for request in flight.profileRequests {
            self.actions.append(.answer(request, .profile(self.profile(of: self.id))))
        }
        if !messages.isEmpty {
            messages.sort { $0.cursor < $1.cursor }
            self.actions.append(.show(messages))
        }
        self.armRelease()
    }

    private mutating func settle(
        _ append: Append, isOwn: Bool, cursors: [Cursor?], _ messages: inout [Message]
    ) {
        let run = append.run.run
        let id = run.key.conversation
        let log = self.conversationTable[id]?.append(append.run) ?? Log()
        self.markDirty(run.key)
        if !isOwn { self.feedReturned(run.key) }
        for (index, cursor) in cursors.enumerated() {
            guard let cursor else { continue }
            let seq = run.first + UInt64(index)
            let entry = run.entries[index]
            let prev = index == 0 ? run.prev : append.run.ids[index - 1]
            self.conversationTable[id]?.show(append.run.ids[index], entry, prev: prev)
            guard let content = Content(of: entry, in: id) else { continue }
            self.attend(content, run.key, entry.time)
            messages.append(
                Message(
                    cursor: cursor, id: append.run.ids[index], conversation: id,
                    author: run.key.name.author, content: content, time: entry.time,
                    isLate: entry.time < append.lateBefore,
                    isDisputed: log.isBeyondFork(seq)))
        }
    }

    private mutating func settleReleased(_ entry: StoredEntry, _ messages: inout [Message]) {
        let id = entry.key.conversation
        if !entry.isDisputed { self.conversationTable[id]?.show(entry.id, at: entry.time) }
        guard let message = Message(entry) else { return }
        self.attend(message.content, entry.key, entry.time)
        messages.append(message)
    }

    private mutating func attend(_ content: Content, _ key: LogKey, _ time: HybridTime) {
        guard let isPresent = content.kind.traits.attendance else { return }
        let author = key.name.author
        let known = self.conversationTable[key.conversation]?.attendance[author]
        guard known.map({ $0.time < time }) ?? true else { return }
        self.conversationTable[key.conversation]?.attendance[author] =
            Attendance(time: time, isPresent: isPresent)
    }

    private mutating func answerDrafts(_ flight: InFlight, _ outcome: BatchOutcome) {
        var next = 0
        for (index, append) in flight.batch.appends.prefix(flight.ownAppends).enumerated() {
            let run = append.run.run
            for (offset, entry) in run.entries.enumerated() {
                let message = SentMessage(
                    id: append.run.ids[offset], conversation: run.key.conversation,
                    cursor: outcome.cursors[index][offset], time: entry.time)
                self.answer(
                    flight.drafts[next], message, run.key, seq: run.first + UInt64(offset))
                next += 1
            }
        }
    }

    private mutating func answer(
        _ draft: Draft, _ message: SentMessage, _ key: LogKey, seq: UInt64
    ) {
        if let text = draft.outgoing?.idempotencyKey {
            for request in self.keys.finish(text, message) {
                self.actions.append(
                    .answer(request, .sent(message, isDuplicate: true, deliveredTo: [])))
            }
        }
        guard let request = draft.request else { return }
        switch draft.content {
        case .join:
            self.actions.append(.answer(request, .joined(key.conversation)))
        case .leave:
            self.actions.append(.answer(request, .left(key.conversation)))
        case .text:
            if let deadline = draft.outgoing?.deliverBy {
                self.awaitDelivery(
                    Delivery(
                        request: request, key: key, seq: seq, message: message, deadline: deadline))
            } else {
                self.actions.append(
                    .answer(request, .sent(message, isDuplicate: false, deliveredTo: [])))
            }
        }
    }

    /// Gives a draft up and tells all who wait for it.
    private mutating func drop(_ draft: Draft, _ error: RequestError) {
        let joined = draft.outgoing?.idempotencyKey.map { self.keys.finish($0, nil) } ?? []
        for request in joined + [draft.request].compactMap({ $0 }) {
            self.actions.append(.answer(request, .failed(error)))
        }
    }

    /// None of the batch is on disk: whoever waited for it is told, and what peers sent is asked for again.
    mutating func commitFailed(_ failure: StoreFailure) {
        guard let flight = self.inFlight.take() else {
            preconditionFailure("the store answers the batch that it was given")
        }
        self.raiseAlert(.storage, "\(failure.detail); \(failure.remedy)")
        for draft in flight.drafts { self.drop(draft, .storage(failure)) }
        for request in flight.profileRequests {
            self.actions.append(.answer(request, .failed(.storage(failure))))
        }
        for id in self.conversationTable.keys.sorted() {
            #if MUTANTS
                if Mutant.countFailedCommits.isActive { continue }
            #endif
            self.conversationTable[id]?.resetTails()
        }
        // A link whose entries were dropped cannot be told to send them again; a new one can.
        let dropped = Set(
            (flight.accepted + self.commitQueue.live + self.commitQueue.sync).map(\.link))
        self.commitQueue.live = []
        self.commitQueue.sync = []
        for link in dropped.sorted() {
            self.close(link, .storage, "the disk cannot be written")
        }
        self.commitQueue.proofs = flight.batch.proofs + self.commitQueue.proofs
        for peer in flight.batch.peers where self.commitQueue.peers[peer.id] == nil {
            self.commitQueue.peers[peer.id] = peer
        }
        for record in flight.batch.records where self.commitQueue.records[record.author] == nil {
            self.commitQueue.records[record.author] = record
        }
        if flight.batch.release != nil { self.commitQueue.release = true }
        self.storageRetryAt = self.now.monotonic + Limits.storageRetryMilliseconds
        self.actions.append(.arm(.storage, at: self.storageRetryAt ?? 0))
    }
}
