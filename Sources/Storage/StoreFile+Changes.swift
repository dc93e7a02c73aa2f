internal import Engine
internal import Crypto

/// What a batch changes beside appending: entries that are disputed or released, and small values.
extension StoreFile {
    /// How long an idempotency key is remembered: scripts retry within minutes, queues within days.
    static let sendMilliseconds: Int64 = 30 * 86_400_000
    /// How many idempotency keys are remembered.
    static let sendCount: Int64 = 1_000_000
    /// How many peers are remembered: many times what one network has, and a bound for a flood of
    /// keys.
    static let peerCount = 4_096

    func move(_ arrival: Int64, to target: Int64) throws(SQLiteError) {
        let statement = self.statements.entries.move
        try statement.bind(.arrival, arrival)
        try statement.bind(.target, target)
        try statement.run()
        try self.noteMove(arrival, to: target)
    }

    /// Finds an author's latest join or leave anew.
    func recount(_ membership: Membership) throws(SQLiteError) {
        let remove = self.statements.effects.removeMember
        try remove.bind(.conversation, membership.conversation)
        try remove.bind(.author, membership.author)
        try remove.run()
        var logs: [Int64] = []
        let logsOfAuthor = self.statements.names.logsOfAuthor
        try logsOfAuthor.bind(.conversation, membership.conversation)
        try logsOfAuthor.bind(.author, membership.author)
        try logsOfAuthor.forEach { (row) throws(SQLiteError) in
            logs.append(row.int(.id))
        }
        for log in logs {
            let statement = self.statements.effects.latestMembership
            try statement.bind(.log, log)
            guard let latest = try statement.int(), let row = try self.entryRow(arrival: latest)
            else { continue }
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
        let replace = self.statements.names.replaceProof
        try replace.bind(.log, log.id)
        try replace.bind(.proof, proof.encoded)
        try replace.run()
        let setFork = self.statements.names.setFork
        try setFork.bind(.id, log.id)
        try setFork.bind(.fork, Int64(proof.point))
        try setFork.run()
        self.knownLogs = KnownRows()
        if log.head.seq >= proof.point {
            let last = try self.entryRow(log: log.id, seq: proof.point - 1)
            precondition(last != nil || proof.point == 1, "a log has all entries up to its head")
            log.head = last.map { Head(seq: UInt64($0.seq), id: $0.id, time: $0.time) } ?? .start
            log.isHeadShown = last?.visibility.isShown ?? false
            try self.update(log)
        }
        let mark = self.statements.entries.mark
        try mark.bind(.log, log.id)
        try mark.bind(.first, Int64(proof.point))
        try mark.bind(.before, Int64(end))
        try mark.bind(.flags, Visibility.shown.proven.flags.rawValue)
        try mark.run()
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
        let heldFrom = self.statements.entries.heldFrom
        try heldFrom.bind(.log, log)
        try heldFrom.bind(.first, Int64(point))
        try heldFrom.bind(.before, Int64(end))
        try heldFrom.forEach { (row) throws(SQLiteError) in held.append(row.int(.arrival)) }
        let markOne = self.statements.entries.markOne
        for arrival in held {
            try markOne.bind(.arrival, arrival)
            try markOne.bind(.flags, visibility.flags.rawValue)
            try markOne.run()
            try self.move(arrival, to: progress.arrive())
            progress.heldCount -= 1
        }
    }

    // MARK: Release

    /// Shows held entries up to a time, in display order, as many as one batch may.
    func release(
        through time: HybridTime, _ progress: inout Progress
    ) throws(SQLiteError) -> [StoredEntry] {
        var due: [Int64] = []
        var bytes: Int64 = 0
        let statement = self.statements.entries.dueHeld
        try statement.bind(.through, time.stored)
        try statement.bind(.limit, Self.releaseEntries)
        try statement.forEach { (row) throws(SQLiteError) in
            bytes += row.int(.count)
            if due.isEmpty || bytes <= Self.releaseBytes { due.append(row.int(.arrival)) }
        }
        var released: [StoredEntry] = []
        for arrival in due {
            let target = progress.arrive()
            try self.move(arrival, to: target)
            progress.heldCount -= 1
            guard let row = try self.entryRow(arrival: target),
                let entry = try self.entry(row.id)
            else { throw .damaged("an entry that was released is not there") }
            released.append(entry)
            var tally = Tally(isOwn: try self.authorRow(self.owner) == row.author)
            tally.count(row)
            try self.note(tally, in: row.conversation)
            if row.isSeen { try self.noteAttendance(of: row) }
            let showHead = self.statements.names.showHead
            try showHead.bind(.id, row.log)
            try showHead.bind(.seq, row.seq)
            try showHead.run()
            self.knownLogs = KnownRows()
        }
        return released
    }

    // MARK: Small values

    /// Stores a record in the place of the one that is there; the node has decided that it stands.
    func store(_ record: Record) throws(SQLiteError) {
        let author = try self.makeAuthorRow(record.author)
        let conversation = try record.conversation.map { (conversation) throws(SQLiteError) in
            try self.makeConversationRow(conversation)
        }
        let replace = self.statements.values.replaceRecord
        try replace.bind(.author, author)
        try replace.bind(.conversation, conversation ?? 0)
        try replace.bind(.kind, Int64(record.kind))
        try replace.bind(.record, record.encoded)
        try replace.run()
    }

    /// Reads a record back.
    static func record(_ bytes: [UInt8]) throws(SQLiteError) -> Record {
        do throws(WireError) {
            return try Record(decoding: bytes)
        } catch {
            throw .damaged("a record does not parse: \(error)")
        }
    }

    /// Remembers peers, and forgets those that were not seen for longest where there are too many.
    func store(_ peers: [KnownPeer]) throws(SQLiteError) {
        guard !peers.isEmpty else { return }
        for peer in peers {
            var writer = WireWriter()
            writer.varint(peer.addresses.count)
            for address in peer.addresses { writer.text(address) }
            let statement = self.statements.values.upsertPeer
            try statement.bind(.author, try self.makeAuthorRow(peer.id))
            try statement.bind(.addresses, writer.bytes)
            try statement.bind(.seen, peer.lastSeen.stored)
            try statement.run()
        }
        let prune = self.statements.values.prunePeers
        if let count = try self.statements.values.countPeers.int(), count > Self.peerCount {
            try prune.bind(.count, Int64(Self.peerCount))
            try prune.run()
        }
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
            let statement = self.statements.values.addSend
            try statement.bind(.conversation, conversation)
            try statement.bind(.key, text: key)
            try statement.bind(.log, log.id)
            try statement.bind(.seq, Int64(run.first) + Int64(offset))
            try statement.bind(.milliseconds, Int64(run.entries[offset].time.milliseconds))
            try statement.run()
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
            try self.statements.values.removeSend.bind(.number, oldest.number)
            try self.statements.values.removeSend.run()
        }
    }
}
