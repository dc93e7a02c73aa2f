internal import Engine
internal import Formats
internal import Crypto

extension StoreFile {
    // MARK: For peers

    /// The run of a log that begins at a seq; see
    /// ``MessageStore/run(_:from:through:entryLimit:byteLimit:)``.
    func run(
        _ key: LogKey, from first: UInt64, through: UInt64, entryLimit: Int, byteLimit: Int
    ) throws(SQLiteError) -> Run? {
        guard let log = try self.logRow(key), first >= 1, first <= log.head.seq else { return nil }
        let prev = first == 1 ? nil : try self.entryID(log: log.id, seq: first - 1)
        guard first == 1 || prev != nil else { throw .damaged("an entry of a log is missing") }
        var entries: [Entry] = []
        var bytes = 0
        var end: (count: Int, attestation: Bytes64)?
        // The limits are those of a run also where a caller asks for more.
        let entryLimit = min(entryLimit, Limits.runEntries)
        let byteLimit = min(byteLimit, Limits.runEntryBytes)
        let through = min(through, log.head.seq)
        let statement = self.statements.entries.run
        try statement.bind(.log, log.id).bind(.first, Int64(bitPattern: first))
        defer { statement.reset() }
        while entries.count < entryLimit, try statement.step() {
            let seq = UInt64(bitPattern: statement.int(.seq))
            guard seq == first + UInt64(entries.count) else {
                throw .damaged("an entry of a log is missing")
            }
            // Behind a fork point entries only serve to attest those before it.
            if seq > log.head.seq, let end, first + UInt64(end.count) > log.head.seq { break }
            let entry = try Entry(
                entryClass: statement.int(.class), time: HybridTime(stored: statement.int(.hlc)),
                extra: statement.optionalBytes(.extra), payload: statement.optionalBytes(.payload))
            bytes += entry.runBytes(after: entries.last?.time)
            if bytes > byteLimit { break }
            entries.append(entry)
            if let attestation = try statement.optionalBytes64(.attestation) {
                end = (entries.count, attestation)
                if seq >= through { break }
            }
        }
        guard let end else { return nil }
        let run = Run(
            key: key, first: first, prev: prev, attestation: end.attestation,
            entries: Array(entries[..<end.count]))
        // The last id follows from all that is in the run. A peer that was sent anything else
        // would take this node for a forger.
        guard try self.entryID(log: log.id, seq: run.last) == run.ids.last else {
            throw .damaged(
                "entries \(run.first) to \(run.last) of the log of \(key.name.author) in "
                    + "\(key.conversation) do not have their hashes")
        }
        return run
    }

    /// What is stored of the payloads of consecutive entries; see
    /// ``MessageStore/payloads(_:from:through:)``.
    func payloads(
        _ key: LogKey, from first: UInt64, through: UInt64
    ) throws(SQLiteError) -> [StoredPayload] {
        guard let log = try self.logRow(key), first >= 1, first <= min(through, log.head.seq)
        else { return [] }
        var prev = first == 1 ? nil : try self.entryID(log: log.id, seq: first - 1)
        guard first == 1 || prev != nil else { throw .damaged("an entry of a log is missing") }
        let last = min(through, log.head.seq, first + UInt64(Limits.payloadItems) - 1)
        var found: [StoredPayload] = []
        var bytes = 0
        let statement = self.statements.entries.payloads
        try statement.bind(.log, log.id).bind(.first, Int64(bitPattern: first))
            .bind(.before, Int64(bitPattern: last + 1))
        defer { statement.reset() }
        while try statement.step() {
            let seq = UInt64(bitPattern: statement.int(.seq))
            guard seq == first + UInt64(found.count),
                let state = EntryFlags(rawValue: statement.int(.flags)).payloadState
            else { throw .damaged("an entry of a log is missing, or what became of its payload") }
            let entry = try Entry(
                entryClass: statement.int(.class), time: HybridTime(stored: statement.int(.hlc)),
                extra: statement.optionalBytes(.extra), payload: statement.optionalBytes(.payload))
            if case .present(let payload) = entry.payload { bytes += payload.count }
            if bytes > Limits.runEntryBytes { break }
            let id = try EntryID(prefix: statement.int(.prefix), suffix: statement.bytes(.suffix))
            // A peer that was sent a damaged payload would take this node for a forger.
            guard entry.id(key: key, seq: seq, prev: prev) == id else {
                throw .damaged(
                    "entry \(seq) of the log of \(key.name.author) in \(key.conversation) does not "
                        + "have its hash")
            }
            found.append(StoredPayload(seq: seq, entry: entry, prev: prev, state: state))
            prev = id
        }
        return found
    }

    /// The proof that ended a log; nil for a log that goes on.
    func forkProof(_ key: LogKey) throws(SQLiteError) -> ForkProof? {
        try self.statements.names.proof.bind(.hash, key.conversation.hash)
            .bind(.key, key.name.author.key).bind(.incarnation, key.name.incarnation.stored)
            .first { (row) throws(SQLiteError) in
                try Self.forkProof(row.bytes(.proof))
            }
    }

    static func forkProof(_ bytes: [UInt8]) throws(SQLiteError) -> ForkProof {
        do throws(WireError) {
            var reader = WireReader(bytes)
            return try ForkProof(from: &reader)
        } catch {
            throw .damaged("a fork proof does not parse: \(error)")
        }
    }

    // MARK: For people

    /// An entry by its id; nil where it is not stored.
    func entry(_ id: EntryID) throws(SQLiteError) -> StoredEntry? {
        guard let arrival = try self.locate(id) else { return nil }
        return try self.stored(at: arrival, self.shownEntry)
    }

    /// Reads what is at a place; nil where nothing is.
    func stored<Read>(
        at arrival: Int64, _ read: (Statement) throws(SQLiteError) -> Read
    ) throws(SQLiteError) -> Read? {
        try self.statements.reading.stored.bind(.arrival, arrival).first(read)
    }

    /// A page of a conversation; see ``MessageStore/history(_:)``.
    func history(_ query: HistoryQuery) throws(SQLiteError) -> HistoryPage {
        let shown = self.statements.reading.shown
        try shown.bind(.hash, query.conversation.hash)
        let conversation = try shown.first { (row) throws(SQLiteError) in
            (id: row.int(.id), newest: row.optionalInt(.shown))
        }
        guard let (id, newest) = conversation, let newest, query.limit > 0 else {
            return HistoryPage(entries: [], hasMore: false)
        }
        var since = query.since?.stored ?? .min
        var page = HistoryPage(entries: [], hasMore: false)
        var bytes = 0
        let statement: Statement
        let isForward: Bool
        switch query.direction {
        case .after(let position):
            isForward = true
            statement = self.statements.reading.historyAfter
            try statement.bind(.through, newest)
            try self.bind(position, to: statement)
            since = max(since, position.time.stored)
        case .from(let position):
            isForward = true
            statement = self.statements.reading.historyAfter
            try statement.bind(.through, newest)
            // Right behind the place before it, where nothing is.
            var before = position
            before.seq -= 1
            try self.bind(before, to: statement)
            since = max(since, position.time.stored)
        case .first:
            isForward = true
            statement = self.statements.reading.historyAfter
            try statement.bind(.through, newest).bind(.hlc, HybridTime(0).stored)
                .bind(.key, [UInt8]()).bind(.incarnation, Int64.min).bind(.seq, 0)
        case .before(let position):
            isForward = false
            statement = self.statements.reading.historyBefore
            try self.bind(position, to: statement)
        case .last:
            isForward = false
            statement = self.statements.reading.historyBefore
            // Longer than any key, so that it stands behind all of them.
            let last = [UInt8](repeating: 0xff, count: Bytes32.byteCount + 1)
            try statement.bind(.hlc, newest).bind(.key, last).bind(.incarnation, Int64.max)
                .bind(.seq, Int64.max)
        }
        try statement.bind(.conversation, id).bind(.since, since)
        defer { statement.reset() }
        var readings: [RowReading] = []
        var walk = ReferenceWalk(self.statements.references, isForward: isForward)
        defer { walk.end() }
        while try statement.step() {
            let found = try self.stored(at: statement.int(.arrival)) { (row) throws(SQLiteError) in
                try self.readShown(row, &walk)
            }
            guard let reading = found else { continue }
            bytes += reading.entry.payloadBytes
            if readings.count == query.limit || (bytes > query.byteLimit && !readings.isEmpty) {
                page.hasMore = true
                break
            }
            readings.append(reading)
        }
        if !isForward { readings.reverse() }
        page.entries = try self.finish(readings)
        #if MUTANTS
            if Mutant.orderByArrival.isActive {
                page.entries.sort { ($0.time, $0.cursor) < ($1.time, $1.cursor) }
            }
        #endif
        return page
    }

    /// How many entries stand before a place, of so many at most that are looked for.
    func count(
        before position: DisplayPosition, _ query: HistoryQuery, limit: Int
    ) throws(SQLiteError) -> Int {
        guard let id = try self.conversationRow(query.conversation) else { return 0 }
        let statement = self.statements.reading.countBefore
        try self.bind(position, to: statement)
        let since = query.since?.stored ?? .min
        return Int(
            try statement.bind(.conversation, id).bind(.since, since).bind(.limit, Int64(limit))
                .int()
                ?? 0)
    }

    private func bind(_ position: DisplayPosition, to statement: Statement) throws(SQLiteError) {
        try statement.bind(.hlc, position.time.stored).bind(.key, position.name.author.key)
            .bind(.incarnation, position.name.incarnation.stored)
            .bind(.seq, Int64(bitPattern: position.seq))
    }

    /// Entries behind a cursor, and notices where they are asked for; see
    /// ``MessageStore/entries(after:limit:in:withNotices:byteLimit:rowLimit:)``.
    func entries(
        after cursor: Cursor, limit: Int, conversation: ConversationID?, withNotices: Bool = false,
        withBeside: Bool = true, withSealed: Bool = true, byteLimit: Int,
        rowLimit: Int = StoreFile.scanLimit
    ) throws(SQLiteError) -> Arrivals {
        let newest = max(cursor, try self.newestCursor())
        var arrivals = Arrivals(entries: [], through: newest, hasMore: false)
        var only: Int64?
        if let conversation {
            guard let id = try self.conversationRow(conversation) else { return arrivals }
            only = id
        }
        if withNotices {
            try self.readNotices(into: &arrivals, after: cursor, limit: limit, only: only)
        }
        var bytes = 0
        var scanned = 0
        var through = cursor
        var readings: [RowReading] = []
        var walk = ReferenceWalk(self.statements.references, isForward: true)
        defer { walk.end() }
        let unwanted = withBeside ? .unseen : EntryFlags.unseen.union(.beside)
        let statement = self.statements.reading.arrivals
        try statement.bind(.arrival, cursor.rawValue)
        defer { statement.reset() }
        while try statement.step() {
            let arrival = Cursor(statement.int(.arrival))
            guard arrival <= arrivals.through else { break }
            let flags = EntryFlags(rawValue: statement.int(.flags))
            let isWanted =
                flags.isDisjoint(with: unwanted)
                && only.map { $0 == statement.int(.place) } ?? true
                && (withSealed || !statement.withBytes(.extra) { Entry.isSealed(extra: $0) })
            let size =
                isWanted ? statement.withBytes(.payload) { $0.count } : 0
            if readings.count >= limit || scanned >= rowLimit
                || (bytes + size > byteLimit && !readings.isEmpty)
            {
                arrivals.end(at: through)
                break
            }
            scanned += 1
            bytes += size
            if isWanted {
                let reading = try self.readShown(statement, &walk)
                bytes += reading.entry.payloadBytes - size
                readings.append(reading)
            }
            through = arrival
        }
        arrivals.entries = try self.finish(readings)
        return arrivals
    }

    /// Reads so many notices at most, and ends the answer where more follow.
    private func readNotices(
        into arrivals: inout Arrivals, after cursor: Cursor, limit: Int, only: Int64?
    ) throws(SQLiteError) {
        let statement = self.statements.reading.notices
        try statement.bind(.arrival, cursor.rawValue).bind(.limit, Int64(limit) + 1)
        defer { statement.reset() }
        var count = 0
        var through = cursor
        while try statement.step() {
            count += 1
            guard count <= limit else {
                arrivals.end(at: through)
                break
            }
            through = Cursor(statement.int(.arrival))
            let isNote = statement.int(.kind) % 32 == Int64(Notice.forgottenNumber)
            guard isNote || only.map({ $0 == statement.optionalInt(.place) }) ?? true else {
                continue
            }
            let conversation =
                statement.isNull(.place) ? nil : ConversationID(try statement.bytes32(.hash))
            // A later version may have left one that this version does not know.
            let body = try statement.opened(
                .body, as: .notice, at: statement.int(.arrival).place)
            guard
                let notice = Notice(
                    number: statement.int(.kind), conversation: conversation, body: body ?? [])
            else { continue }
            arrivals.notices.append(StoredNotice(cursor: through, notice: notice))
        }
    }

    /// How many rows one call looks at, so that it takes milliseconds also where few are wanted.
    static let scanLimit = 8_192

    /// The newest cursor that was given; 0 where none was.
    func newestCursor() throws(SQLiteError) -> Cursor {
        Cursor(max(0, try self.statements.entries.newestArrival.int() ?? 0))
    }

    /// What is read of a conversation for its line, before its messages are.
    private struct SummaryRow {
        var id: Int64
        /// The time of the newest message that is shown; nil where none is.
        var shown: Int64?
        var hasTopics: Bool
    }

    /// Of more unread messages than these the first is not looked for: it takes a step for each.
    private static let unreadLimit = 1_000

    /// The first unread message of a conversation in display order.
    private func firstUnread(
        of conversation: Int64, _ summary: ConversationSummary
    ) throws(SQLiteError) -> EntryID? {
        guard (1...Self.unreadLimit).contains(summary.unread) else { return nil }
        return try self.statements.reading.unread.bind(.conversation, conversation)
            .bind(.since, summary.readCursor.rawValue)
            .bind(.author, self.authorRow(self.owner) ?? 0)
            .bind(.count, Int64(summary.unread - 1))
            .first { (row) throws(SQLiteError) in
                try EntryID(prefix: row.int(.prefix), suffix: row.bytes(.suffix))
            }
    }

    /// Where it stands what a conversation is about.
    private func topic(
        of conversation: Int64, by authors: Set<PeerID>?
    ) throws(SQLiteError) -> Int64? {
        try self.statements.reading.topic.bind(.conversation, conversation)
            .firstFound { (row) throws(SQLiteError) in
                guard let authors else { return row.int(.arrival) }
                let author = PeerID(try row.bytes32(.author))
                return authors.contains(author) ? row.int(.arrival) : nil
            }
    }

    /// One line for each conversation; see ``MessageStore/summaries(topicsBy:)``.
    func summaries(
        topicsBy authors: [ConversationID: Set<PeerID>]
    ) throws(SQLiteError) -> [ConversationSummary] {
        var summaries: [(row: SummaryRow, summary: ConversationSummary)] = []
        try self.statements.reading.summaries.forEach { (row) throws(SQLiteError) in
            let summary = ConversationSummary(
                conversation: ConversationID(try row.bytes32(.hash)), unread: Int(row.int(.unread)),
                mentions: Int(row.int(.mentions)), readCursor: Cursor(row.int(.read)),
                lastMessage: nil)
            summaries.append(
                (
                    SummaryRow(
                        id: row.int(.id), shown: row.optionalInt(.shown),
                        hasTopics: row.int(.present) != 0), summary
                ))
        }
        for (index, (row, summary)) in summaries.enumerated() {
            summaries[index].summary.firstUnread = try self.firstUnread(of: row.id, summary)
            guard let shown = row.shown else { continue }
            if row.hasTopics {
                let topic = try self.topic(of: row.id, by: authors[summary.conversation])
                summaries[index].summary.topic = try topic.flatMap { (place) throws(SQLiteError) in
                    try self.stored(at: place, self.storedEntry)
                }
            }
            let last = try self.statements.reading.lastMessage.bind(.conversation, row.id)
                .bind(.through, shown).int()
            summaries[index].summary.lastMessage = try last.flatMap { (place) throws(SQLiteError) in
                try self.stored(at: place, self.shownEntry)
            }
        }
        return summaries.map(\.summary)
    }

    /// How much is stored, without counting rows.
    func counts() throws(SQLiteError) -> StoreCounts {
        let dropped = try self.database.int("SELECT coalesce(max(dropped), 0) FROM state")
        let arrived = try self.newestCursor().rawValue - self.noticeCount() - dropped
        let pageBytes = try self.database.int("PRAGMA page_size")
        let pages = try self.database.int("PRAGMA page_count")
        let free = try self.database.int("PRAGMA freelist_count")
        return StoreCounts(
            entries: Int(arrived) + self.heldCount, held: self.heldCount,
            conversations: Int(try self.database.int("SELECT count(*) FROM conversations")),
            logs: Int(try self.database.int("SELECT count(*) FROM logs")),
            databaseBytes: Int(pages * pageBytes), usedBytes: Int((pages - free) * pageBytes))
    }

    /// What conversations take, those first that take most.
    func usage(limit: Int) throws(SQLiteError) -> [ConversationUsage] {
        var usage: [ConversationUsage] = []
        try self.statements.reading.usage.bind(.limit, Int64(limit)).forEach {
            (row) throws(SQLiteError) in
            usage.append(
                ConversationUsage(
                    conversation: ConversationID(try row.bytes32(.hash)),
                    entries: Int(row.int(.count)), bytes: Int(row.int(.bytes)),
                    streamBytes: Int(row.int(.size))))
        }
        return usage
    }
}
