internal import Engine
internal import Formats
internal import Crypto

extension StoreFile {
    /// The most payload bytes that one batch releases, so that live messages need not wait for them.
    static let releaseBytes: Int64 = 1_048_576

    /// An author in a conversation.
    struct Membership: Hashable {
        var conversation: Int64
        var author: Int64
    }

    /// What a commit has done so far; thrown away with the transaction when it fails.
    struct Progress {
        /// The greatest arrival number that was given.
        var newest: Int64
        /// The smallest arrival number that was given; held entries count downwards from -1.
        var oldest: Int64
        /// How many entries are held.
        var heldCount: Int
        /// The outcome's cursors.
        var cursors: [[Cursor?]] = []
        /// What people see of entries that are in no append of this batch.
        var filled: [StoredEntry] = []
        /// Files of which an entry has gone that told of them, and the rows of its conversations.
        var detached: [BlobID: Set<Int64>] = [:]
        /// Entries whose payloads are erased now.
        var erased: [Erasure] = []
        /// Messages that people were shown and that are erased now.
        var takenBack: [(conversation: ConversationID, id: EntryID, author: PeerID)] = []
        /// How many of what came before its message are given new numbers.
        var told = 0
        /// Whose latest join or leave must be found anew.
        var recounts: Set<Membership> = []
        /// The rows of authors whom nothing may name any longer.
        var parted: Set<Int64> = []
        /// What logs take of which entries came or went whole.
        var sizes: [LogSize] = []
        /// The rows of logs of which payloads came or went.
        var resized: Set<Int64> = []

        /// The next arrival number of an entry that is not held.
        mutating func arrive() -> Int64 {
            self.newest += 1
            return self.newest
        }

        /// The next arrival number of an entry that is held.
        mutating func hold() -> Int64 {
            self.oldest -= 1
            self.heldCount += 1
            return self.oldest
        }
    }

    /// What a commit begins with.
    struct Numbering {
        /// The greatest arrival number; 0 where there is none.
        var newest: Int64
        /// The smallest one, of a held entry; 0 where there is none.
        var oldest: Int64
    }

    private func readNumbering() throws(SQLiteError) -> Numbering {
        Numbering(
            newest: max(0, try self.statements.entries.newestArrival.int() ?? 0),
            oldest: min(0, try self.statements.entries.oldestArrival.int() ?? 0))
    }

    /// Writes a batch in one transaction; when this throws, nothing of it is stored.
    func commit(_ batch: Batch) throws(SQLiteError) -> BatchOutcome {
        try self.database.hold(!self.frees(batch))
        try self.prepareIDs(for: batch)
        var progress: Progress?
        var isDone = false
        // What was moved or added for a batch that is not stored is wrong, and is read again.
        defer {
            if !isDone {
                self.recentIDs = nil
                self.knownConversations = KnownRows()
                self.knownAuthors = KnownRows()
                self.knownLogs = KnownRows()
                self.blockedAuthors = nil
                self.isAnythingNamed = nil
            }
        }
        let known = self.numbering.take()
        var outcome = try self.database.transaction { () throws(SQLiteError) in
            let numbering = if let known { known } else { try self.readNumbering() }
            var current = Progress(
                newest: numbering.newest, oldest: numbering.oldest, heldCount: self.heldCount)
            let outcome = try self.write(batch, &current)
            progress = current
            return outcome
        }
        isDone = true
        outcome.isCheckpointDue = batch.isBesideLive && self.database.isCheckpointDue
        if let progress {
            self.heldCount = progress.heldCount
            // Which number is the smallest of those still held is seen only by looking.
            if progress.heldCount == 0 {
                self.numbering = Numbering(newest: progress.newest, oldest: 0)
            }
            if batch.appends.contains(where: { $0.run.run.key.name.author == self.owner }) {
                self.noteOwnCommit(mark: progress.newest - progress.oldest)
            }
        }
        return outcome
    }

    /// Whether a batch is there to take something off the disk: seldom, since to lift the bound costs a
    /// statement, and never since a peer has sent something.
    private func frees(_ batch: Batch) -> Bool {
        !batch.drops.isEmpty || batch.expiry != nil || !batch.retentions.isEmpty
            || !batch.groups.forgotten.isEmpty
            || batch.membership.values.contains { !$0.isJoined }
            || batch.appends.contains {
                $0.run.run.key.name.author == self.owner
                    && $0.verdicts.contains { !$0.erases.isEmpty }
            }
    }

    private func write(
        _ batch: Batch, _ progress: inout Progress
    ) throws(SQLiteError) -> BatchOutcome {
        let isKnownFirst = batch.proofs.map(batch.isKnownBeforeAppends)
        for (proof, isFirst) in zip(batch.proofs, isKnownFirst) where isFirst {
            try self.end(proof, &progress)
        }
        let drops = try self.drop(batch.drops, &progress)
        for append in batch.appends { try self.append(append, &progress) }
        try self.note(batch.logMarks)
        for fill in batch.fills {
            if let entry = try self.fill(fill, &progress) { progress.filled.append(entry) }
        }
        let expired = try batch.expiry.map { (expiry) throws(SQLiteError) in
            try self.expire(expiry, &progress)
        }
        #if MUTANTS
            if Mutant.splitBatches.isActive {
                try self.database.execute("COMMIT; BEGIN IMMEDIATE")
            }
        #endif
        for (proof, isFirst) in zip(batch.proofs, isKnownFirst) where !isFirst {
            try self.end(proof, &progress)
        }
        try self.forget(batch.forgotten, &progress)
        // A revocation among them ends what would be released.
        for record in batch.records { try self.store(record, &progress) }
        for act in batch.groups.acts { try self.endHeld(cutBy: act, &progress) }
        let released = try batch.release.map { (due) throws(SQLiteError) in
            try self.release(due, &progress)
        }
        try self.indexRecent(newest: progress.newest)
        for membership in progress.recounts { try self.recount(membership) }
        for key in batch.droppedRecords { try self.drop(key) }
        try self.storeChoices(of: batch)
        try self.store(people: batch.people)
        let hasForgotten = try self.store(batch.groups)
        let hasEnded = try self.end(requestsOf: batch.requests.ended)
        let hasDeclined = try self.store(batch.requests.kept)
        try self.store(batch.peers)
        let told = try self.store(batch.positions)
        let read = try self.read(batch, newest: progress.newest)
        let takenBack = progress.takenBack.map {
            Notice(
                .erased($0.conversation, $0.id, by: $0.author),
                of: batch.tiers[$0.author] ?? .known, at: batch.time)
        }
        let own =
            takenBack
            + told.map { event in
                let notice = Notice(event, at: batch.time)
                let tier = notice.subject.flatMap { batch.tiers[$0] }
                return Notice(event, of: tier ?? .known, at: batch.time)
            } + read.notices
        let cursors = try self.store(batch.notices + own, &progress)
        try self.removeUnused(progress.parted)
        if let incarnation = batch.incarnation {
            try self.statements.values.setIncarnation.bind(.incarnation, incarnation.stored).run()
        }
        var outcome = BatchOutcome(
            number: batch.number, cursors: progress.cursors, released: released ?? [],
            notices: Array(cursors.prefix(batch.notices.count)),
            held: try self.held(progress.heldCount))
        outcome.filled = progress.filled
        outcome.drops = try self.settled(drops)
        try self.noteDetached(progress, in: &outcome)
        outcome.sizes = try self.sizes(progress)
        outcome.erased = progress.erased
        outcome.ownNotices = zip(cursors.dropFirst(batch.notices.count), own).map {
            StoredNotice(cursor: $0, notice: $1)
        }
        outcome.reads = read.positions
        outcome.expired = expired
        outcome.hasEndedRequests = hasEnded || hasDeclined || hasForgotten
        return outcome
    }

    /// Takes what the user has chosen for conversations.
    private func storeChoices(of batch: Batch) throws(SQLiteError) {
        for (conversation, membership) in batch.membership.sorted(by: { $0.key < $1.key }) {
            try self.store(membership, of: conversation)
        }
        for (conversation, arrangement) in batch.arrangements.sorted(by: { $0.key < $1.key }) {
            try self.statements.values.setArranged
                .bind(.id, self.makeConversationRow(conversation))
                .bind(.arranged, Int64(arrangement.rawValue)).run()
        }
        for (conversation, kept) in batch.retentions.sorted(by: { $0.key < $1.key }) {
            try self.statements.values.setRetention
                .bind(.id, self.makeConversationRow(conversation))
                .bind(.days, kept.days.map { Int64($0) })
                .bind(.size, kept.bytes.map { Int64(clamping: $0) }).run()
        }
    }

    /// The held entries, of which a caller knows the number.
    func held(_ count: Int) throws(SQLiteError) -> HeldEntries {
        guard count > 0 else { return HeldEntries(count: 0, first: nil) }
        let first = try self.statements.entries.firstHeld.int()
        let firstOfKnown = try self.statements.entries.firstHeldOfKnown.int()
        return HeldEntries(
            count: count, first: first.map { HybridTime(stored: $0) },
            firstOfKnown: firstOfKnown.map { HybridTime(stored: $0) })
    }

    // MARK: Appending

    /// Notes whose log it is and who has brought it; gives the row of the person.
    private func beginLog(_ log: Int64, by append: Append) throws(SQLiteError) -> Int64? {
        let person = try append.person.map { (person) throws(SQLiteError) in
            try self.makePersonRow(person, append.keys)
        }
        try self.statements.names.setPerson.bind(.id, log).bind(.person, person).run()
        if let source = append.source {
            try self.statements.names.setSource.bind(.id, log)
                .bind(.source, text: source.description).run()
        }
        return person
    }

    private func append(_ append: Append, _ progress: inout Progress) throws(SQLiteError) {
        let run = append.run.run
        let conversation = try self.makeConversationRow(run.key.conversation)
        let author = try self.makeAuthorRow(run.key.name.author)
        var log = try self.makeLogRow(
            conversation: conversation, author: author, incarnation: run.key.name.incarnation)
        // The node has checked all of this; a log that is wrong on disk would be wrong for good.
        precondition(run.first == log.head.seq + 1, "an append starts right behind its log's head")
        precondition(
            run.prev == (log.head.seq == 0 ? nil : log.head.id), "an append follows its log's head")
        precondition(run.entries[0].time > log.head.time || run.first == 1, "time grows in a log")
        precondition(log.forkPoint.map { run.first < $0 } ?? true, "a log ends at its fork point")
        precondition(run.last <= UInt64(Int64.max))

        var tally = Tally(isUncounted: try self.isUncounted(author))
        progress.cursors.append(Array(repeating: nil, count: run.entries.count))
        let index = progress.cursors.count - 1
        var bytes: Int64 = 0
        if run.first == 1 { log.person = try self.beginLog(log.id, by: append) }
        let place = run.key.digest
        let named = try self.named(run, at: place)
        var (referenced, late): ([EntryRow], [EntryRow]) = ([], [])
        for offset in run.entries.indices {
            let seq = run.first + UInt64(offset)
            let name = NamedEntry(place, seq: Int64(seq), append.run.ids[offset])
            let (entry, verdict) = try self.judged(append, offset, name, named, log, &progress)
            let visibility = Visibility(
                onArrivalAt: seq, isAhead: offset >= append.heldFrom, forkPoint: log.forkPoint)
            var row = EntryRow(
                arrival: visibility == .held ? progress.hold() : progress.arrive(), log: log.id,
                seq: Int64(seq), conversation: conversation, time: entry.time,
                flags: EntryFlags(verdict).union(visibility.flags), author: author,
                incarnation: run.key.name.incarnation.stored, id: append.run.ids[offset])
            if row.arrival > 0 && entry.time < append.lateBefore { row.flags.insert(.late) }
            if try self.answersBehind(row, verdict, at: run.key) {
                row.flags.insert(.late)
                late.append(row)
            }
            if row.arrival < 0 && append.isOfKnown { row.flags.insert(.ofKnown) }
            if named.referenced.contains(row.seq), try self.isReferenced(name) {
                row.flags.insert(.referenced)
                referenced.append(row)
            }
            bytes += try self.insert(
                row, entry, kind: verdict.kind,
                attestation: offset == run.entries.count - 1 ? run.attestation : nil)
            try self.note(verdict, of: row, at: run.key, log.person, &progress)
            // Joins and their like never go, and so do not count for how much is kept.
            if entry.entryClass != EntryClass.control.rawValue {
                tally.bytes += entry.payload.storedBytes
            }
            if visibility.isShown {
                progress.cursors[index][offset] = Cursor(row.arrival)
                tally.count(row)
            }
            try self.noteAttendance(of: row)
            if !visibility.isDisputed {
                log.head = Head(seq: seq, id: row.id, time: row.time)
                log.isHeadShown = visibility.isShown
            }
        }
        try self.update(log, adding: bytes)
        log.bytes &+= bytes
        progress.sizes.append(LogSize(key: run.key, bytes: log.bytes))
        // An entry may have had a payload of its own log erased meanwhile.
        if !progress.resized.contains(log.id) {
            self.knownLogs.add(
                LogPlace(
                    conversation: conversation, author: author,
                    incarnation: run.key.name.incarnation), log)
        }
        try self.note(tally, in: conversation)
        for row in late {
            let stored = try self.stored(at: row.arrival, self.shownEntry)
            if let stored { progress.filled.append(stored) }
        }
        for row in referenced { try self.tellReferences(to: row, &progress) }
        try self.storeIdempotencyKeys(append.idempotencyKeys, of: run, log: log, in: conversation)
    }

    /// Whether an entry is shown before the message that it answers, since its author's clock is behind.
    private func answersBehind(
        _ row: EntryRow, _ verdict: EntryVerdict, at key: LogKey
    ) throws(SQLiteError) -> Bool {
        guard let target = verdict.answers, row.isSeen, !row.flags.contains(.late),
            let log = try self.logRow(LogKey(conversation: key.conversation, name: target.log)),
            let found = try self.entryRow(log: log.id, seq: target.seq), found.id == target.id
        else { return false }
        return found.isSeen
            && (found.time, target.log, found.seq) > (row.time, key.name, row.seq)
    }

    /// An entry and what was said of it, without its payload where somebody has wanted it erased who may.
    private func judged(
        _ append: Append, _ offset: Int, _ name: NamedEntry, _ named: NamedEntries, _ log: LogRow,
        _ progress: inout Progress
    ) throws(SQLiteError) -> (Entry, EntryVerdict) {
        var (entry, verdict) = (append.run.run.entries[offset], append.verdicts[offset])
        guard named.erased.contains(name.target),
            entry.entryClass != EntryClass.control.rawValue,
            try self.isErased(name, person: log.person)
        else { return (entry, verdict) }
        let key = append.run.run.key
        entry.payload = entry.payload.omitted
        verdict = EntryVerdict()
        verdict.payload = .erased
        progress.erased.append(
            Erasure(
                conversation: key.conversation,
                target: EntryTarget(
                    log: key.name, seq: UInt64(name.target), id: append.run.ids[offset])))
        try self.eraseEdits(of: name, person: log.person, in: key.conversation, &progress)
        return (entry, verdict)
    }

    /// Notes what an entry says of others, and what it tells of.
    func note(
        _ verdict: EntryVerdict, of row: EntryRow, at key: LogKey, _ person: Int64?,
        _ progress: inout Progress
    ) throws(SQLiteError) {
        if let reference = verdict.refersTo {
            try self.note(
                reference, of: row, by: key.name.author, person, in: key.conversation, &progress)
        }
        if !verdict.erases.isEmpty {
            try self.erase(
                verdict.erases, by: row, of: key.name.author, person, in: key.conversation,
                &progress)
        }
        try self.attach(verdict.attaches, to: row)
    }

    /// Writes an entry; gives what it takes, as ``Entry/storedBytes(with:)`` counts.
    private func insert(
        _ row: EntryRow, _ entry: Entry, kind: UInt64?, attestation: Bytes64?
    ) throws(SQLiteError) -> Int64 {
        let statement = self.statements.entries.insert
        try statement.bind(.arrival, row.arrival).bind(.log, row.log).bind(.seq, row.seq)
            .bind(.conversation, row.conversation).bind(.hlc, row.time.stored)
            .bind(.class, Int64(entry.entryClass))
            .bind(.kind, kind.map { Int64(bitPattern: $0) }).bind(.flags, row.flags.rawValue)
            .bind(.prefix, row.id.prefix).bind(.suffix, suffixOf: row.id)
            .bind(.attestation, attestation)
        #if MUTANTS
            if Mutant.dropAttestations.isActive {
                try statement.bind(.attestation, nil as Int64?)
            }
        #endif
        let extra = entry.extra
        try statement.bind(.extra, extra)
        if case .present(let payload) = entry.payload {
            try statement.bind(.payload, payload)
        } else {
            try statement.bind(.payload, nil as Int64?)
        }
        try statement.run()
        try self.note(row.id, at: row.arrival)
        return entry.storedBytes(with: extra)
    }

    /// Writes the log's row, which says what the next append must follow.
    ///
    /// - Parameter bytes: what it takes more than before, as ``Entry/storedBytes(with:)`` counts; what ``LogRow``
    ///   says may be older than the payloads that a batch has erased.
    func update(_ log: LogRow, adding bytes: Int64) throws(SQLiteError) {
        try self.statements.names.updateLog.bind(.id, log.id)
            .bind(.seq, Int64(bitPattern: log.head.seq)).bind(.head, log.head.id.hash)
            .bind(.hlc, log.head.time.stored).bind(.shown, log.isHeadShown ? 1 : 0)
            .bind(.bytes, bytes).run()
    }

    /// What the logs take of which a batch has changed that.
    private func sizes(_ progress: Progress) throws(SQLiteError) -> [LogSize] {
        var sizes = progress.sizes
        for id in progress.resized {
            try self.statements.names.logBytes.bind(.id, id).forEach { (row) throws(SQLiteError) in
                let name = LogName(
                    author: PeerID(try row.bytes32(.key)),
                    incarnation: UInt64(stored: row.int(.incarnation)))
                let conversation = ConversationID(try row.bytes32(.hash))
                let key = LogKey(conversation: conversation, name: name)
                sizes.append(LogSize(key: key, bytes: row.int(.bytes)))
            }
        }
        return sizes
    }

    // MARK: What entries change

    /// What entries that become shown change in their conversation's row.
    struct Tally {
        /// Whether none of the entries counts as unread.
        let isUncounted: Bool
        var unread: Int64 = 0
        /// How many of these call the user by name.
        var mentions: Int64 = 0
        /// The newest arrival that counts as unread.
        var latest: Int64 = 0
        var shown: HybridTime?
        /// What their payloads take, and those of entries that are not shown.
        var bytes: Int64 = 0

        /// Counts an entry that is shown.
        mutating func count(_ row: EntryRow) {
            self.shown = max(self.shown ?? row.time, row.time)
            if row.isUnread && !self.isUncounted {
                self.unread += 1
                if row.flags.contains(.mention) { self.mentions += 1 }
                self.latest = max(self.latest, row.arrival)
            }
        }
    }

    /// Writes what was counted.
    func note(_ tally: Tally, in conversation: Int64) throws(SQLiteError) {
        guard let shown = tally.shown else {
            return try self.addBytes(tally.bytes, in: conversation)
        }
        try self.statements.effects.noteShown.bind(.id, conversation).bind(.shown, shown.stored)
            .bind(.unread, tally.unread).bind(.mentions, tally.mentions)
            .bind(.latest, tally.latest).bind(.bytes, tally.bytes).run()
    }

    /// Notes that the payloads of a conversation take so much more, or less.
    func addBytes(_ bytes: Int64, in conversation: Int64) throws(SQLiteError) {
        guard bytes != 0 else { return }
        try self.statements.values.addBytes.bind(.id, conversation).bind(.bytes, bytes).run()
    }

    /// Makes a join or leave count, unless a later one of the same author does; any other entry
    /// says nothing of who is a member.
    func noteAttendance(of row: EntryRow) throws(SQLiteError) {
        guard row.takesEffect, let attendance = row.attendance else { return }
        let member = self.statements.effects.member
        let known = try member.bind(.conversation, row.conversation).bind(.author, row.author)
            .first { (row) throws(SQLiteError) in Attendance(row) }
        guard attendance.supersedes(known) else { return }
        try self.statements.effects.replaceMember.bind(.conversation, row.conversation)
            .bind(.author, row.author).bind(.present, attendance.isPresent ? 1 : 0)
            .bind(.hlc, row.time.stored).bind(.incarnation, row.incarnation).bind(.seq, row.seq)
            .run()
    }
}
