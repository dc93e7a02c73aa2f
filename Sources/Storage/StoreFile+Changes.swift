internal import Engine
internal import Formats
internal import Crypto

/// What a batch changes beside appending: entries that are disputed or released, and small values.
extension StoreFile {
    /// How long an idempotency key is remembered: scripts retry within minutes, queues within days.
    static let sendMilliseconds: Int64 = 30 * 86_400_000
    /// How many idempotency keys are remembered.
    static let sendCount: Int64 = 1_000_000
    /// How many unused rows of authors one start removes: some tenths of a second.
    static let sweptAuthors: Int64 = 16_384

    func move(_ arrival: Int64, to target: Int64) throws(SQLiteError) {
        try self.statements.entries.move.bind(.arrival, arrival).bind(.target, target).run()
        try self.noteMove(arrival, to: target)
    }

    /// Finds an author's latest join or leave anew.
    func recount(_ membership: Membership) throws(SQLiteError) {
        try self.statements.effects.removeMember.bind(.conversation, membership.conversation)
            .bind(.author, membership.author).run()
        var logs: [Int64] = []
        try self.statements.names.logsOfAuthor.bind(.conversation, membership.conversation)
            .bind(.author, membership.author).forEach { (row) throws(SQLiteError) in
                logs.append(row.int(.id))
            }
        for log in logs {
            let latest = try self.statements.effects.latestMembership.bind(.log, log).int()
            guard let latest, let row = try self.entryRow(arrival: latest) else { continue }
            try self.noteAttendance(of: row)
        }
    }

    // MARK: Forks

    /// Ends a log at a proven fork point, unless it ends at or before it already.
    func end(_ proof: ForkProof, _ progress: inout Progress) throws(SQLiteError) {
        let conversation = try self.makeConversationRow(proof.key.conversation)
        let author = try self.makeAuthorRow(proof.key.name.author)
        var log = try self.makeLogRow(
            conversation: conversation, author: author, incarnation: proof.key.name.incarnation)
        // What lies behind an earlier proof's point has been dealt with.
        let end = log.forkPoint ?? UInt64(Int64.max)
        guard Visibility.forkPoint(known: log.forkPoint, proven: proof.point) != nil else { return }
        let encoded = proof.encoded
        let before = try self.statements.names.proofLength.bind(.log, log.id).int() ?? 0
        try self.statements.names.replaceProof.bind(.log, log.id).bind(.proof, encoded).run()
        // It is charged like entries: to whom the log is.
        try self.statements.names.addLogBytes.bind(.id, log.id)
            .bind(.bytes, Int64(encoded.count) - before).run()
        progress.resized.insert(log.id)
        try self.statements.names.setFork.bind(.id, log.id).bind(.fork, Int64(proof.point)).run()
        self.knownLogs = KnownRows()
        if log.head.seq >= proof.point {
            let last = try self.entryRow(log: log.id, seq: proof.point - 1)
            precondition(last != nil || proof.point == 1, "a log has all entries up to its head")
            log.head = last.map { Head(seq: UInt64($0.seq), id: $0.id, time: $0.time) } ?? .start
            log.isHeadShown = last?.visibility.isShown ?? false
            try self.update(log, adding: 0)
        }
        try self.statements.entries.mark.bind(.log, log.id).bind(.first, Int64(proof.point))
            .bind(.before, Int64(end)).bind(.flags, Visibility.shown.proven.flags.rawValue).run()
        try self.endHeld(in: log.id, from: proof.point, before: end, &progress)
        progress.recounts.insert(Membership(conversation: conversation, author: author))
    }

    /// What a proof makes of the held entries of a part of a log.
    private func endHeld(
        in log: Int64, from point: UInt64, before end: UInt64, _ progress: inout Progress
    ) throws(SQLiteError) {
        let visibility = Visibility.held.proven
        guard visibility != .held else { return }
        var held: [Int64] = []
        try self.statements.entries.heldFrom.bind(.log, log).bind(.first, Int64(point))
            .bind(.before, Int64(end))
            .forEach { (row) throws(SQLiteError) in held.append(row.int(.arrival)) }
        for arrival in held { try self.end(heldEntry: arrival, &progress) }
    }

    // MARK: Release

    /// Shows held entries that are due, by their times, as many as one batch may: those of known people first.
    func release(
        _ due: Due, _ progress: inout Progress
    ) throws(SQLiteError) -> [StoredEntry] {
        var share: [Int64] = []
        var bytes: Int64 = 0
        for (statement, time) in [
            (self.statements.entries.dueHeldOfKnown, due.known),
            (self.statements.entries.dueHeld, due.others),
        ] {
            let left = Limits.releasedPerBatch - share.count
            let known = Set(share)
            try statement.bind(.through, time.stored).bind(.limit, Int64(left + known.count))
                .forEach { (row) throws(SQLiteError) in
                    guard share.count < Limits.releasedPerBatch,
                        !known.contains(row.int(.arrival))
                    else { return }
                    bytes += row.int(.count)
                    if share.isEmpty || bytes <= Self.releaseBytes {
                        share.append(row.int(.arrival))
                    }
                }
        }
        var released: [StoredEntry] = []
        for arrival in share {
            let target = progress.arrive()
            try self.move(arrival, to: target)
            progress.heldCount -= 1
            guard let row = try self.entryRow(arrival: target),
                let entry = try self.entry(row.id)
            else { throw .damaged("an entry that was released is not there") }
            released.append(entry)
            var tally = Tally(isUncounted: try self.isUncounted(row.author))
            tally.count(row)
            try self.note(tally, in: row.conversation)
            try self.noteUnread(row.log, from: row.seq)
            try self.statements.names.showHead.bind(.id, row.log).bind(.seq, row.seq).run()
            self.knownLogs = KnownRows()
        }
        return released
    }

    // MARK: Small values

    /// Stores a record in the place of the one that is there; the node has decided that it stands.
    func store(_ record: Record, _ progress: inout Progress) throws(SQLiteError) {
        let author = try self.makeAuthorRow(record.author)
        let conversation = try record.conversation.map { (conversation) throws(SQLiteError) in
            try self.makeConversationRow(conversation)
        }
        try self.statements.values.replaceRecord.bind(.author, author)
            .bind(.conversation, conversation ?? Self.number(of: record.key.person))
            .bind(.kind, Int64(record.kind)).bind(.record, record.encoded).run()
        if let revocation = record.revocation, !revocation.stands {
            try self.endHeld(
                of: author, as: revocation.certificate.personID, after: record.time, &progress)
        }
    }

    /// What stands for the person of a revocation where other records have their conversation: less than 0, since 0 is
    /// none.
    static func number(of person: PersonID?) -> Int64 {
        guard let person else { return 0 }
        let first = person.hash.bytes.prefix(8).reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return -1 - Int64(first >> 1)
    }

    /// The same where a group's act says that a device is its person's no longer.
    func endHeld(cutBy act: Act, _ progress: inout Progress) throws(SQLiteError) {
        guard progress.heldCount > 0,
            case .cut(let device, let number, false) = act.statement.kind,
            number < 1 << 48,
            let author = try self.authorRow(device),
            let group = try self.conversationRow(act.group)
        else { return }
        // Behind all of that millisecond.
        let time = HybridTime(number << 16 | 0xFFFF)
        try self.endHeld(of: author, as: act.statement.author, after: time, in: group, &progress)
    }

    /// What a device has dated ahead, and later than its person revoked it, is never shown.
    ///
    /// - Parameter group: the only conversation in which that is so.
    private func endHeld(
        of author: Int64, as person: PersonID, after time: HybridTime, in group: Int64? = nil,
        _ progress: inout Progress
    ) throws(SQLiteError) {
        guard progress.heldCount > 0 else { return }
        var held: [(arrival: Int64, conversation: Int64)] = []
        let statement = try self.database.prepare(
            """
            SELECT arrival, conversation FROM entries INDEXED BY entries_held
            WHERE arrival < 0 AND hlc > :through AND log IN (
                SELECT l.id FROM logs l JOIN persons p ON p.id = l.person
                WHERE l.author = :author AND p.hash = :hash)
            """)
        try statement.bind(.author, author).bind(.hash, person.hash.bytes)
            .bind(.through, time.stored)
            .forEach { (row) throws(SQLiteError) in
                held.append((row.int(.arrival), row.int(.conversation)))
            }
        for (arrival, conversation) in held where group == nil || conversation == group {
            try self.end(heldEntry: arrival, &progress)
            let membership = Membership(conversation: conversation, author: author)
            if progress.recounts.insert(membership).inserted { try self.recount(membership) }
        }
    }

    /// An entry that is held is never shown.
    private func end(heldEntry arrival: Int64, _ progress: inout Progress) throws(SQLiteError) {
        try self.statements.entries.markOne.bind(.arrival, arrival)
            .bind(.flags, Visibility.held.proven.flags.rawValue).run()
        try self.move(arrival, to: progress.arrive())
        progress.heldCount -= 1
    }

    /// Forgets a record.
    func drop(_ key: RecordKey) throws(SQLiteError) {
        guard let author = try self.authorRow(key.author) else { return }
        var conversation: Int64?
        if let scope = key.conversation {
            conversation = try self.conversationRow(scope)
            guard conversation != nil else { return }
        }
        try self.statements.values.removeRecord.bind(.author, author)
            .bind(.conversation, conversation ?? Self.number(of: key.person))
            .bind(.kind, Int64(key.kind)).run()
    }

    /// Reads a record back.
    static func record(_ bytes: [UInt8]) throws(SQLiteError) -> Record {
        do throws(WireError) {
            return try Record(decoding: bytes)
        } catch {
            throw .damaged("a record does not parse: \(error)")
        }
    }

    /// Forgets people: the node has decided that nothing else is kept of them.
    func forget(_ peers: [PeerID], _ progress: inout Progress) throws(SQLiteError) {
        for peer in peers {
            guard let author = try self.authorRow(peer) else { continue }
            let values = self.statements.values
            try values.removePeer.bind(.author, author).run()
            try values.removePositions.bind(.author, author).run()
            try values.removeSubjectNotices.bind(.subject, author).run()
            try values.removeRecords.bind(.author, author).run()
            progress.parted.insert(author)
        }
    }

    /// Removes the rows of those authors whom nothing names any longer: keys cost nothing, so there is no
    /// end of authors who have been named once.
    func removeUnused(_ authors: Set<Int64>) throws(SQLiteError) {
        guard !authors.isEmpty else { return }
        for author in authors {
            try self.statements.values.removeAuthor.bind(.author, author).run()
        }
        self.knownAuthors = KnownRows()
    }

    /// Removes rows of authors whom nothing names, a bounded number: what no batch has seen go.
    func sweepAuthors() throws(SQLiteError) {
        try self.statements.values.removeAuthors.bind(.limit, Self.sweptAuthors).run()
        self.knownAuthors = KnownRows()
    }

    /// Remembers peers.
    func store(_ peers: [KnownPeer]) throws(SQLiteError) {
        guard !peers.isEmpty else { return }
        for peer in peers {
            var writer = WireWriter()
            writer.varint(peer.addresses.count)
            for address in peer.addresses { writer.text(address) }
            try self.statements.values.upsertPeer.bind(.author, self.makeAuthorRow(peer.id))
                .bind(.addresses, writer.bytes).bind(.seen, peer.lastSeen.stored)
                .bind(.keys, peer.person?.encoded).run()
        }
    }

    /// Takes what the user says of people from here on; what is unread follows.
    func store(people: [PeerID: Standing]) throws(SQLiteError) {
        for (peer, standing) in people.sorted(by: { $0.key < $1.key }) {
            let values = self.statements.values
            let author = try self.makeAuthorRow(peer)
            let wasBlocked = try self.blocked().contains(author)
            if standing == .unsaid {
                try values.removePerson.bind(.author, author).run()
            } else {
                try values.addPerson.bind(.author, author)
                    .bind(.standing, Int64(standing.rawValue)).run()
            }
            if self.heldCount > 0 {
                let isKnown = standing == .known || standing == .verified
                try self.statements.entries.setOfKnown.bind(.author, author)
                    .bind(.present, isKnown ? 1 : 0).run()
            }
            guard wasBlocked != (standing == .blocked) else { continue }
            self.blockedAuthors = nil
            try self.statements.effects.recountUnread.bind(.author, author)
                .bind(.owner, self.authorRow(self.owner) ?? 0).run()
        }
    }

    /// The rows of those whom the user has blocked.
    private func blocked() throws(SQLiteError) -> Set<Int64> {
        if let known = self.blockedAuthors { return known }
        var authors: Set<Int64> = []
        try self.statements.effects.blocked.forEach { (row) throws(SQLiteError) in
            authors.insert(row.int(.author))
        }
        self.blockedAuthors = authors
        return authors
    }

    /// Whether nothing that somebody writes counts as unread: the owner's, and that of who is blocked.
    func isUncounted(_ author: Int64) throws(SQLiteError) -> Bool {
        if try self.authorRow(self.owner) == author { return true }
        return try self.blocked().contains(author)
    }

    /// Gives notices their places behind all that has arrived, and forgets the oldest.
    ///
    /// They are numbered without gaps, so the newest number says how many ever came.
    func store(
        _ notices: [Notice], _ progress: inout Progress
    ) throws(SQLiteError) -> [Cursor] {
        guard !notices.isEmpty else { return [] }
        var number = try self.noticeCount()
        var cursors: [Cursor] = []
        for notice in notices {
            number += 1
            let arrival = progress.arrive()
            let conversation = try notice.conversation.map { (id) throws(SQLiteError) in
                try self.makeConversationRow(id)
            }
            var subject: Int64?
            if notice.isLatestOnly {
                subject = try self.makeAuthorRow(notice.subject ?? self.owner)
                try self.statements.values.removeNotice.bind(.subject, subject)
                    .bind(.conversation, conversation).bind(.kind, Int64(notice.number) % 32).run()
            }
            try self.statements.values.addNotice.bind(.number, number).bind(.arrival, arrival)
                .bind(.conversation, conversation).bind(.kind, Int64(notice.number))
                .bind(.subject, subject)
                .bind(.body, sealing: notice.body, as: .notice, at: arrival.place).run()
            cursors.append(Cursor(arrival))
        }
        var pruned: Set<[UInt8]> = []
        for notice in notices where pruned.insert(notice.numbersOfKind).inserted {
            try self.prune(likeThat: notice)
        }
        return cursors
    }

    /// Forgets the oldest notices of the kind and tier of one, where there are too many, and leaves a note in the place
    /// of the last of them: whoever was away for longer is told that some are missing.
    private func prune(likeThat notice: Notice) throws(SQLiteError) {
        let values = self.statements.values
        let kinds = notice.numbersOfKind.reduce(Int64(0)) { $0 | 1 << Int64($1 % 32) }
        let group = Int64(notice.number / 32)
        let last = try values.lastNotice.bind(.kinds, kinds).bind(.kind, group)
            .bind(.limit, Int64(Limits.notices))
            .first { (row) throws(SQLiteError) in
                (number: row.int(.number), arrival: row.int(.arrival))
            }
        guard let last else { return }
        let note = Notice(.forgotten(notice.kind), of: notice.tier, at: 0)
        try values.pruneNotices.bind(.kinds, kinds).bind(.kind, group)
            .bind(.number, last.number).run()
        try self.removeNotes(likeThat: note)
        try values.addNotice.bind(.number, last.number).bind(.arrival, last.arrival)
            .bind(.conversation, Int64?.none).bind(.kind, Int64(note.number))
            .bind(.subject, Int64?.none)
            .bind(.body, sealing: note.body, as: .notice, at: last.arrival.place).run()
    }

    /// Of each sort there is one note: a start had some ten at most.
    private func removeNotes(likeThat note: Notice) throws(SQLiteError) {
        var same: [Int64] = []
        let notes = try self.database.prepare(
            "SELECT number, arrival, body FROM notices WHERE kind = :kind")
        try notes.bind(.kind, Int64(note.number)).forEach { (row) throws(SQLiteError) in
            let body = try row.opened(.body, as: .notice, at: row.int(.arrival).place)
            if body == note.body { same.append(row.int(.number)) }
        }
        for number in same {
            try self.statements.values.removeNote.bind(.number, number).run()
        }
    }

    /// How many notices ever came.
    func noticeCount() throws(SQLiteError) -> Int64 {
        try self.statements.values.newestNotice.int() ?? 0
    }

    /// Remembers idempotency keys of own entries, and forgets the oldest.
    ///
    /// A key that is known stays with its first entry.
    func storeIdempotencyKeys(
        _ keys: [Int: String], of run: Run, log: LogRow, in conversation: Int64
    ) throws(SQLiteError) {
        guard !keys.isEmpty else { return }
        #if MUTANTS
            if Mutant.forgetKeys.isActive { return }
        #endif
        for (offset, key) in keys.sorted(by: { $0.key < $1.key }) {
            try self.statements.values.addSend.bind(.conversation, conversation)
                .bind(.key, text: key).bind(.log, log.id)
                .bind(.seq, Int64(run.first) + Int64(offset))
                .bind(.milliseconds, Int64(run.entries[offset].time.milliseconds)).run()
        }
        guard
            let newest = try self.statements.values.newestSend.first({
                (row) throws(SQLiteError) in
                (number: row.int(.number), milliseconds: row.int(.milliseconds))
            })
        else { return }
        // Two for each that came in: that catches up, and never takes long.
        for _ in 0..<2 * keys.count {
            let oldest = try self.statements.values.oldestSend.first { (row) throws(SQLiteError) in
                (number: row.int(.number), milliseconds: row.int(.milliseconds))
            }
            guard let oldest,
                oldest.number <= newest.number - Self.sendCount
                    || oldest.milliseconds < newest.milliseconds - Self.sendMilliseconds
            else { return }
            try self.statements.values.removeSend.bind(.number, oldest.number).run()
        }
    }
}
