internal import Engine
internal import Formats
internal import Crypto

/// Logs that give way: they go from their ends, a bounded part with each batch, so that what is left is
/// a log at any time.
extension StoreFile {
    /// Where the last entries of a log are to be cut off.
    private struct Cut {
        /// The first entry that goes; 1 where nothing is left.
        var first: Int64
        /// What the payloads take of those that go.
        var bytes: Int64
        /// What all else takes of them.
        var extras: Int64 = 0
        /// How many go.
        var count: Int
    }

    /// Takes logs off the disk, or parts of them; gives those of which it has, or that are not there.
    func drop(_ keys: [LogKey], _ progress: inout Progress) throws(SQLiteError) -> [LogDrop] {
        guard !keys.isEmpty else { return [] }
        var drops: [LogDrop] = []
        var (left, count) = (Limits.droppedPerBatch, Int64(0))
        var conversations: Set<Int64> = []
        for key in keys {
            guard left > 0 else { break }
            var drop = LogDrop(key: key, isWhole: false, shown: [], attendance: nil)
            if let log = try self.logRow(key) {
                let cut = try self.cut(log.id, atMost: left)
                try self.drop(log, from: cut, &drop, &progress)
                left -= max(cut.count, 1)
                count += Int64(cut.count)
                conversations.insert(try self.makeConversationRow(key.conversation))
                if drop.isWhole, let author = try self.authorRow(key.name.author) {
                    progress.parted.insert(author)
                }
            } else {
                drop.isWhole = true
            }
            drops.append(drop)
        }
        // Numbers that were given are never given again, though nothing may show them any more.
        try self.statements.entries.noteDropped.bind(.arrival, progress.newest)
            .bind(.count, count).run()
        for conversation in conversations {
            try self.statements.entries.newestShown.bind(.id, conversation).run()
        }
        self.recentIDs = nil
        self.knownLogs = KnownRows()
        return drops
    }

    /// Finds from where on a log is cut: behind an entry that is attested, or before the first.
    private func cut(_ log: Int64, atMost limit: Int) throws(SQLiteError) -> Cut {
        var cut = Cut(first: 1, bytes: 0, count: 0)
        var (seen, bytes, extras, isDone) = (0, Int64(0), Int64(0), false)
        // A run is attested at its end, so there is a place to cut within one more.
        try self.statements.entries.last.bind(.log, log)
            .bind(.limit, Int64(limit + Limits.runEntries + 1))
            .forEach { (row) throws(SQLiteError) in
                guard !isDone else { return }
                if seen > 0 && row.int(.present) != 0 {
                    cut = Cut(first: row.int(.seq) + 1, bytes: bytes, extras: extras, count: seen)
                    isDone = seen >= limit || bytes >= Int64(Limits.droppedBytesPerBatch)
                }
                seen += 1
                // What never goes by itself is not counted for the conversation.
                let (counted, all) = (row.optionalInt(.bytes) ?? 0, row.optionalInt(.count) ?? 0)
                bytes += counted
                extras += Entry.overheadBytes + (row.optionalInt(.size) ?? 0) + all - counted
                if row.int(.seq) == 1 && !isDone {
                    cut = Cut(first: 1, bytes: bytes, extras: extras, count: seen)
                }
            }
        return cut
    }

    private func drop(
        _ log: LogRow, from cut: Cut, _ drop: inout LogDrop, _ progress: inout Progress
    ) throws(SQLiteError) {
        let conversation = try self.makeConversationRow(drop.key.conversation)
        let end = cut.first + Int64(cut.count)
        for seq in stride(from: end - 1, through: cut.first, by: -1) {
            guard let row = try self.entryRow(log: log.id, seq: UInt64(bitPattern: seq)) else {
                throw .damaged("an entry of a log is missing")
            }
            if row.isSeen { drop.shown.append(UInt64(bitPattern: seq)) }
            try self.remove(row, &progress)
        }
        try self.statements.references.removeErasures.bind(.log, log.id).bind(.first, cut.first)
            .run()
        try self.addBytes(-cut.bytes, in: conversation)
        guard cut.first > 1 else { return try self.remove(log, &drop) }
        try self.shorten(log, by: cut)
    }

    /// Takes an entry off the disk, with all that was noted of it.
    private func remove(
        _ row: EntryRow, _ progress: inout Progress
    ) throws(SQLiteError) {
        try self.discount(row, &progress)
        if row.flags.contains(.attendance) {
            progress.recounts.insert(
                Membership(conversation: row.conversation, author: row.author))
        }
        if row.arrival < 0 {
            progress.heldCount -= 1
            // What was counted for it stays counted.
            _ = progress.arrive()
        }
        try self.statements.ids.remove.bind(.prefix, row.id.prefix).bind(.arrival, row.arrival)
            .run()
        try self.statements.entries.remove.bind(.arrival, row.arrival).run()
    }

    /// Moves the head of a log back to the last entry that is left.
    private func shorten(_ log: LogRow, by cut: Cut) throws(SQLiteError) {
        let first = UInt64(bitPattern: cut.first)
        let taken = cut.bytes + cut.extras
        guard log.head.seq >= first else {
            try self.update(log, adding: -taken)
            return
        }
        guard let last = try self.entryRow(log: log.id, seq: first - 1) else {
            throw .damaged("an entry of a log is missing")
        }
        var log = log
        log.head = Head(seq: first - 1, id: last.id, time: last.time)
        log.isHeadShown = last.visibility.isShown
        try self.update(log, adding: -taken)
    }

    /// Takes the row of a log that has no entries any longer, and that of its person where it is the last.
    private func remove(_ log: LogRow, _ drop: inout LogDrop) throws(SQLiteError) {
        let names = self.statements.names
        try names.removeProof.bind(.id, log.id).run()
        try names.removeLogPositions.bind(.id, log.id).run()
        try names.removeLog.bind(.id, log.id).run()
        if let person = log.person { try names.removePerson.bind(.id, person).run() }
        drop.isWhole = true
    }

    /// Adds what the batch has left of who is a member.
    func settled(_ drops: [LogDrop]) throws(SQLiteError) -> [LogDrop] {
        var settled = drops
        for (index, drop) in drops.enumerated() {
            guard let conversation = try self.conversationRow(drop.key.conversation),
                let author = try self.authorRow(drop.key.name.author)
            else { continue }
            settled[index].attendance = try self.statements.effects.member
                .bind(.conversation, conversation).bind(.author, author)
                .first { (row) throws(SQLiteError) in Attendance(row) }
        }
        return settled
    }

    /// Notes what is said of logs that are here.
    func note(_ marks: [LogKey: LogMarks]) throws(SQLiteError) {
        for (key, marks) in marks.sorted(by: { $0.key < $1.key }) {
            guard let log = try self.logRow(key) else { continue }
            try self.statements.names.markLog.bind(.id, log.id)
                .bind(.flags, marks.rawValue).run()
        }
    }
}
