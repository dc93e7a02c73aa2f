internal import Engine
internal import Noise

/// What a batch changes beside appending: entries that are hidden, disputed or released, and small
/// values.
extension StoreFile {
    /// How long an idempotency key is remembered: scripts retry within minutes, queues within days.
    static let sendMilliseconds: Int64 = 30 * 86_400_000
    /// How many idempotency keys are remembered.
    static let sendCount: Int64 = 1_000_000
    /// How many peers are remembered: many times what one network has, and a bound for a flood of
    /// keys.
    static let peerCount = 4_096

    // MARK: Hiding

    /// Hides an entry for good; one that was held is not held any more.
    func hide(_ row: EntryRow, _ progress: inout Progress) throws(SQLiteError) {
        guard !row.flags.contains(.hidden) else { return }
        let statement = self.statements.hide
        try statement.bind(1, row.arrival)
        try statement.run()
        guard row.arrival > 0 else {
            try self.move(row.arrival, to: progress.arrive(at: nil))
            progress.heldCount -= 1
            return
        }
        let index = row.arrival - progress.base - 1
        if index < 0 {
            progress.hidden.append(row.arrival)
        } else if let place = progress.places[Int(index)] {
            progress.cursors[place.append][place.entry] = nil
        }
        try self.forget(row)
    }

    /// Takes back what a shown entry had changed.
    private func forget(_ row: EntryRow) throws(SQLiteError) {
        if row.isSeen && row.kind == Entry.Kind.text, try self.authorRow(self.owner) != row.author {
            let statement = self.statements.reduceUnread
            try statement.bind(1, row.conversation)
            try statement.bind(2, row.arrival)
            try statement.run()
        }
        let newest = self.statements.newestShown
        try newest.bind(1, row.conversation)
        let time = try newest.first { (row) throws(SQLiteError) in row.int(0) }
        let statement = self.statements.setShown
        try statement.bind(1, row.conversation)
        try statement.bind(2, time)
        try statement.run()
        if row.isMembership {
            try self.recountMembership(conversation: row.conversation, author: row.author)
        }
        let hideHead = self.statements.hideHead
        try hideHead.bind(1, row.log)
        try hideHead.bind(2, row.seq)
        try hideHead.run()
    }

    private func move(_ arrival: Int64, to target: Int64) throws(SQLiteError) {
        let statement = self.statements.move
        try statement.bind(1, arrival)
        try statement.bind(2, target)
        try statement.run()
    }

    /// Finds an author's latest join or leave anew.
    private func recountMembership(conversation: Int64, author: Int64) throws(SQLiteError) {
        let remove = self.statements.removeMember
        try remove.bind(1, conversation)
        try remove.bind(2, author)
        try remove.run()
        let statement = self.statements.latestMembership
        try statement.bind(1, conversation)
        try statement.bind(2, author)
        let latest = try statement.first { (row) throws(SQLiteError) in
            (kind: row.int(0), time: row.int(1), incarnation: row.int(2), seq: row.int(3))
        }
        guard let latest else { return }
        let upsert = self.statements.upsertMember
        try upsert.bind(1, conversation)
        try upsert.bind(2, author)
        try upsert.bind(3, latest.kind)
        try upsert.bind(4, latest.time)
        try upsert.bind(5, latest.incarnation)
        try upsert.bind(6, latest.seq)
        try upsert.run()
    }

    // MARK: Forks

    /// Ends a log at a proven fork point, unless it ends at or before it already.
    func end(_ proof: ForkProof, _ progress: inout Progress) throws(SQLiteError) {
        let conversation = try self.makeConversationRow(proof.key.conversation)
        let author = try self.makeAuthorRow(proof.key.name.author)
        var log = try self.makeLogRow(
            conversation: conversation, author: author, incarnation: proof.key.name.incarnation)
        if let point = log.forkPoint, point <= proof.point { return }
        let replace = self.statements.replaceProof
        try replace.bind(1, log.id)
        try replace.bind(2, proof.encoded)
        try replace.run()
        let setFork = self.statements.setFork
        try setFork.bind(1, log.id)
        try setFork.bind(2, Int64(proof.point))
        try setFork.run()
        if log.head.seq >= proof.point {
            let last = try self.entryRow(log: log.id, seq: proof.point - 1)
            precondition(last != nil || proof.point == 1, "a log has all entries up to its head")
            log.head = last.map { Head(seq: UInt64($0.seq), id: $0.id, time: $0.time) } ?? .start
            log.isHeadShown = last?.isShown ?? false
            try self.update(log)
        }
        // What was not shown before the proof came in is not shown after it either.
        var held: [Int64] = []
        let heldFrom = self.statements.heldFrom
        try heldFrom.bind(1, log.id)
        try heldFrom.bind(2, Int64(proof.point))
        try heldFrom.forEach { (row) throws(SQLiteError) in held.append(row.int(0)) }
        for arrival in held {
            guard let row = try self.entryRow(arrival: arrival) else { continue }
            try self.hide(row, &progress)
        }
        let dispute = self.statements.dispute
        try dispute.bind(1, log.id)
        try dispute.bind(2, Int64(proof.point))
        try dispute.run()
        try self.recountMembership(conversation: conversation, author: author)
    }

    // MARK: Release

    /// Shows held entries up to a time, in display order; gives their new arrival numbers.
    func release(through time: HybridTime, _ progress: inout Progress) throws(SQLiteError)
        -> [Int64]
    {
        var due: [Int64] = []
        var bytes: Int64 = 0
        let statement = self.statements.dueHeld
        try statement.bind(1, time.stored)
        try statement.bind(2, Self.releaseEntries)
        try statement.forEach { (row) throws(SQLiteError) in
            bytes += row.int(1)
            if due.isEmpty || bytes <= Self.releaseBytes { due.append(row.int(0)) }
        }
        var released: [Int64] = []
        for arrival in due {
            let target = progress.arrive(at: nil)
            try self.move(arrival, to: target)
            progress.heldCount -= 1
            guard let row = try self.entryRow(arrival: target) else {
                throw .damaged("an entry that was released is not there")
            }
            released.append(target)
            var tally = Tally(isOwn: try self.authorRow(self.owner) == row.author)
            tally.count(row)
            try self.note(tally, in: row.conversation)
            if row.isSeen && row.isMembership { try self.noteMembership(row) }
            let showHead = self.statements.showHead
            try showHead.bind(1, row.log)
            try showHead.bind(2, row.seq)
            try showHead.run()
        }
        return released
    }

    // MARK: Small values

    /// Stores a record unless the stored one stands.
    func store(_ record: Record) throws(SQLiteError) {
        let author = try self.makeAuthorRow(record.author)
        let conversation = try record.conversation.map { (conversation) throws(SQLiteError) in
            try self.makeConversationRow(conversation)
        }
        let statement = self.statements.record
        try statement.bind(1, author)
        try statement.bind(2, conversation ?? 0)
        try statement.bind(3, Int64(record.kind))
        let old = try statement.first { (row) throws(SQLiteError) in try Self.record(row.bytes(0)) }
        if let old, !record.supersedes(old) { return }
        let replace = self.statements.replaceRecord
        try replace.bind(1, author)
        try replace.bind(2, conversation ?? 0)
        try replace.bind(3, Int64(record.kind))
        try replace.bind(4, record.encoded)
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
            let statement = self.statements.upsertPeer
            try statement.bind(1, try self.makeAuthorRow(peer.id))
            try statement.bind(2, writer.bytes)
            try statement.bind(3, peer.lastSeen.stored)
            try statement.run()
        }
        let count = try self.statements.countPeers.first { (row) throws(SQLiteError) in row.int(0) }
        if let count, count > Self.peerCount {
            try self.statements.prunePeers.bind(1, Int64(Self.peerCount))
            try self.statements.prunePeers.run()
        }
    }

    /// Remembers idempotency keys of own entries, and forgets the oldest.
    ///
    /// A key that is known stays with its first entry.
    func store(_ keys: [Int: String], of run: Run, log: Int64) throws(SQLiteError) {
        guard !keys.isEmpty else { return }
        for (offset, key) in keys.sorted(by: { $0.key < $1.key }) {
            let statement = self.statements.addSend
            try statement.bind(1, text: key)
            try statement.bind(2, log)
            try statement.bind(3, Int64(run.first) + Int64(offset))
            try statement.bind(4, Int64(run.entries[offset].time.milliseconds))
            try statement.run()
        }
        guard
            let newest = try self.statements.newestSend.first({
                (row) throws(SQLiteError) in (number: row.int(0), milliseconds: row.int(1))
            })
        else { return }
        // Two for each that came in: that catches up, and never takes long.
        for _ in 0..<2 * keys.count {
            let oldest = try self.statements.oldestSend.first { (row) throws(SQLiteError) in
                (number: row.int(0), milliseconds: row.int(1))
            }
            guard let oldest,
                oldest.number <= newest.number - Self.sendCount
                    || oldest.milliseconds < newest.milliseconds - Self.sendMilliseconds
            else { return }
            try self.statements.removeSend.bind(1, oldest.number)
            try self.statements.removeSend.run()
        }
    }
}
