internal import Engine
internal import Formats

/// How far the user and others have read, and others have what the user wrote.
extension StoreFile {
    // MARK: What the user has read

    /// Moves what the user has read forward, and counts what is unread from there.
    func markRead(_ conversation: ConversationID, through cursor: Cursor) throws(SQLiteError) {
        try self.database.transaction { () throws(SQLiteError) in
            let newest = try self.newestCursor().rawValue
            _ = try self.read(conversation, through: cursor, newest: newest)
        }
    }

    /// Moves what the user has read of conversations; says through which entry of each log that is, and
    /// what is unread now.
    func read(
        _ batch: Batch, newest: Int64
    ) throws(SQLiteError) -> (positions: [ConversationID: [LogName: UInt64]], notices: [Notice]) {
        var reads = batch.reads
        var elsewhere: [ConversationID: [LogName: UInt64]] = [:]
        for (key, members) in batch.positions {
            guard let position = members[self.owner] else { continue }
            elsewhere[key.conversation, default: [:]][key.name] = position.read
        }
        for (id, logs) in elsewhere {
            guard let cursor = try self.cursor(id, reading: logs, newest: newest) else { continue }
            reads[id] = max(reads[id] ?? cursor, cursor)
        }
        var positions: [ConversationID: [LogName: UInt64]] = [:]
        var notices: [Notice] = []
        for (conversation, cursor) in reads.sorted(by: { $0.key < $1.key }) {
            guard let read = try self.read(conversation, through: cursor, newest: newest) else {
                continue
            }
            positions[conversation] = read.logs
            let seen = Notice.Event.seen(
                conversation, unread: UInt32(clamping: read.left.unread),
                mentions: UInt32(clamping: read.left.mentions))
            notices.append(Notice(seen, at: batch.time))
        }
        return (positions, notices)
    }

    /// Up to where a conversation is read whose logs the user has read so far; nil where nothing is unread.
    func cursor(
        _ conversation: ConversationID, reading logs: [LogName: UInt64], newest: Int64
    ) throws(SQLiteError) -> Cursor? {
        let effects = self.statements.effects
        let found = try effects.readPosition.bind(.hash, conversation.hash).first {
            (row) throws(SQLiteError) in
            (id: row.int(.id), read: row.int(.read), unread: row.int(.unread))
        }
        guard let found, found.unread > 0 else { return nil }
        let statement = effects.unreadInOrder
        try statement.bind(.conversation, found.id).bind(.since, found.read)
            .bind(.author, self.authorRow(self.owner) ?? 0)
        defer { statement.reset() }
        while try statement.step() {
            let name = LogName(
                author: PeerID(try statement.bytes32(.key)),
                incarnation: UInt64(stored: statement.int(.incarnation)))
            if UInt64(bitPattern: statement.int(.seq)) > logs[name] ?? 0 {
                return Cursor(statement.int(.arrival) - 1)
            }
        }
        return Cursor(newest)
    }

    /// Nil where that was read before, or nothing is known of the conversation.
    private func read(
        _ conversation: ConversationID, through cursor: Cursor, newest: Int64
    ) throws(SQLiteError) -> (logs: [LogName: UInt64], left: Unread)? {
        let effects = self.statements.effects
        let found = try effects.readPosition.bind(.hash, conversation.hash).first {
            (row) throws(SQLiteError) in
            (
                id: row.int(.id), read: row.int(.read), latest: row.int(.latest),
                left: Unread(unread: row.int(.unread), mentions: row.int(.mentions))
            )
        }
        // A cursor from the future would hide entries that nobody has seen.
        let through = min(cursor.rawValue, newest)
        guard let found, through > found.read else { return nil }
        var left = Unread()
        if through < found.latest, newest - through <= through - found.read {
            left = try self.countUnread(found.id, after: through, through: newest)
        } else if through < found.latest {
            let read = try self.countUnread(found.id, after: found.read, through: through)
            left = Unread(
                unread: found.left.unread - read.unread,
                mentions: found.left.mentions - read.mentions)
        }
        try effects.setRead.bind(.id, found.id).bind(.read, through)
            .bind(.unread, max(0, left.unread)).bind(.mentions, max(0, left.mentions)).run()
        let logs = try self.noteRead(found.id, after: found.read, through: through)
        return (logs, left)
    }

    /// What arrived in a longer range is not gone through.
    private static let shortRange: Int64 = 4_096

    /// Notes through which entry of each log of others the user has read all, by what arrived in a range.
    private func noteRead(
        _ conversation: Int64, after: Int64, through: Int64
    ) throws(SQLiteError) -> [LogName: UInt64] {
        let owner = try self.makeAuthorRow(self.owner)
        let effects = self.statements.effects
        var found: [(log: Int64, name: LogName, head: Int64)] = []
        func take(_ row: Statement) throws(SQLiteError) {
            let name = LogName(
                author: PeerID(try row.bytes32(.key)),
                incarnation: UInt64(stored: row.int(.incarnation)))
            found.append((row.int(.log), name, row.int(.seq)))
        }
        if through - after <= Self.shortRange {
            try effects.logsInRange.bind(.conversation, conversation).bind(.author, owner)
                .bind(.since, after).bind(.through, through).forEach(take)
        } else {
            try effects.logsOfOthers.bind(.conversation, conversation).bind(.author, owner)
                .forEach(take)
        }
        var logs: [LogName: UInt64] = [:]
        for (log, name, head) in found {
            let known = try self.position(of: owner, in: log).read
            let unread = try effects.firstUnread.bind(.log, log)
                .bind(.seq, Int64(bitPattern: known)).bind(.through, through).int()
            let read = MemberPosition(read: UInt64(bitPattern: unread.map { $0 - 1 } ?? head))
            guard read.read > known else { continue }
            logs[name] = try self.advance(read, of: owner, in: log).position.read
        }
        return logs
    }

    /// An entry of a log is seen from here on: it was not read with those behind it.
    func noteUnread(_ log: Int64, from seq: Int64) throws(SQLiteError) {
        guard let owner = try self.authorRow(self.owner) else { return }
        try self.statements.effects.setUnread.bind(.log, log).bind(.seq, seq)
            .bind(.author, owner).run()
    }

    /// How many messages are unread, and how many of them call the user by name.
    struct Unread {
        var unread: Int64 = 0
        var mentions: Int64 = 0
    }

    /// Counts the unread messages that arrived in a range.
    func countUnread(
        _ conversation: Int64, after: Int64, through: Int64
    ) throws(SQLiteError) -> Unread {
        try self.statements.effects.countUnread
            .bind(.author, self.authorRow(self.owner) ?? 0).bind(.since, after)
            .bind(.through, through).bind(.conversation, conversation).first {
                (row) throws(SQLiteError) in
                Unread(unread: row.int(.unread), mentions: row.int(.mentions))
            } ?? Unread()
    }

    // MARK: What members have

    /// Notes how far members have own logs; gives what subscribers are told of that.
    func store(
        _ positions: [LogKey: [PeerID: MemberPosition]]
    ) throws(SQLiteError) -> [Notice.Event] {
        var told: [Notice.Event] = []
        for (key, members) in positions.sorted(by: { $0.key < $1.key }) {
            guard let log = try self.logRow(key) else { continue }
            for (peer, position) in members.sorted(by: { $0.key < $1.key })
            where peer != self.owner {
                let moved = try self.advance(
                    position, of: self.makeAuthorRow(peer), in: log.id)
                let (before, now) = (moved.before, moved.position)
                let read = try self.lastCounted(in: log.id, after: before.read, through: now.read)
                let stored = try self.lastCounted(
                    in: log.id, after: max(before.stored, now.read), through: now.stored)
                if let stored { told.append(.delivered(key.conversation, stored, to: peer)) }
                if let read { told.append(.read(key.conversation, read, by: peer)) }
            }
        }
        return told
    }

    private func position(of author: Int64, in log: Int64) throws(SQLiteError) -> MemberPosition {
        try self.statements.effects.position.bind(.log, log).bind(.author, author).first {
            (row) throws(SQLiteError) in MemberPosition(row)
        } ?? MemberPosition()
    }

    private func advance(
        _ position: MemberPosition, of author: Int64, in log: Int64
    ) throws(SQLiteError) -> (before: MemberPosition, position: MemberPosition) {
        let before = try self.position(of: author, in: log)
        let after = MemberPosition(
            stored: max(before.stored, position.stored), read: max(before.read, position.read))
        try self.statements.effects.setPosition.bind(.log, log).bind(.author, author)
            .bind(.stored, Int64(bitPattern: after.stored))
            .bind(.read, Int64(bitPattern: after.read)).run()
        return (before, after)
    }

    /// The last message of a log in a range; nil where there is none.
    private func lastCounted(
        in log: Int64, after: UInt64, through: UInt64
    ) throws(SQLiteError) -> EntryID? {
        guard through > after else { return nil }
        return try self.statements.effects.lastCounted.bind(.log, log)
            .bind(.since, Int64(bitPattern: after)).bind(.seq, Int64(bitPattern: through))
            .first { (row) throws(SQLiteError) in
                try EntryID(prefix: row.int(.prefix), suffix: row.bytes(.suffix))
            }
    }

    /// How many entries are looked at to count what waits, and how many of a log at least.
    static let waitingLimit = 1_024
    private static let waitingLeast: UInt64 = 16

    /// The messages of logs that stand behind an entry.
    ///
    /// Whoever writes to nobody for long has a million of them. So about ``waitingLimit`` entries are looked
    /// at, of all logs together: of a log where more stand the first and the last ones, and of those between
    /// them as many are taken for messages as of these.
    func waiting(
        behind places: [(key: LogKey, seq: UInt64)]
    ) throws(SQLiteError) -> WaitingMessages {
        var waiting = WaitingMessages()
        var left = UInt64(Self.waitingLimit)
        for (key, seq) in places {
            guard let log = try self.logRow(key), log.head.seq > seq else { continue }
            let all = log.head.seq - seq
            let looked = min(all, max(left, Self.waitingLeast))
            left -= min(left, looked)
            var found = try self.waiting(in: log.id, after: seq, looked - looked / 2)
            let last = try self.waiting(
                in: log.id, after: log.head.seq - looked / 2, looked / 2)
            found.count += last.count
            guard let first = found.first ?? last.first else { continue }
            let others = Double(all - looked) * Double(found.count) / Double(looked)
            waiting.messages += found.count + Int(others.rounded())
            if looked < all { waiting.isEstimate = true }
            waiting.since = min(waiting.since ?? first, first)
            waiting.logs.insert(key)
        }
        return waiting
    }

    /// How many messages are among so many entries behind one, and when the first was written.
    private func waiting(
        in log: Int64, after seq: UInt64, _ count: UInt64
    ) throws(SQLiteError) -> (count: Int, first: HybridTime?) {
        let row = try self.statements.effects.countBehind.bind(.log, log)
            .bind(.since, Int64(bitPattern: seq)).bind(.through, Int64(bitPattern: seq + count))
            .first { (row) throws(SQLiteError) in
                (
                    count: Int(row.int(.count)),
                    first: row.optionalInt(.first).map { HybridTime(stored: $0) }
                )
            }
        return row ?? (0, nil)
    }

    func readPositions(into snapshot: inout Snapshot) throws(SQLiteError) {
        let positions = try self.database.prepare(
            """
            SELECT c.hash, o.key AS owner, l.incarnation, a.key, p.stored, p.read FROM positions p
            JOIN logs l ON l.id = p.log JOIN conversations c ON c.id = l.conversation
            JOIN authors o ON o.id = l.author JOIN authors a ON a.id = p.author
            """)
        try positions.forEach { (row) throws(SQLiteError) in
            let key = LogKey(
                conversation: ConversationID(try row.bytes32(.hash)),
                name: LogName(
                    author: PeerID(try row.bytes32(.owner)),
                    incarnation: UInt64(stored: row.int(.incarnation))))
            snapshot.positions[key, default: [:]][PeerID(try row.bytes32(.key))] =
                MemberPosition(row)
        }
    }
}

extension MemberPosition {
    fileprivate init(_ row: Statement) {
        self.init(
            stored: UInt64(bitPattern: row.int(.stored)),
            read: UInt64(bitPattern: row.int(.read)))
    }
}
