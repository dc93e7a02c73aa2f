internal import Engine
internal import Formats

/// What entries say of the messages of a page, read along with them.
///
/// The messages of one log come in the order of their seqs, and what is said of them lies in that order
/// (`refs`). So one statement for each log walks beside the page, instead of one being started for each
/// message: that is half of what it costs. Whoever begins a walk must end it; a page is one walk.
struct ReferenceWalk {
    /// What is said of a message stands at its seq and the first bytes of its id.
    struct Place: Comparable {
        var target: Int64
        var prefix: Int64

        static func < (left: Place, right: Place) -> Bool {
            (left.target, left.prefix) < (right.target, right.prefix)
        }
    }

    /// The statement of a log, at the first reference that was not given yet.
    private struct Strand {
        var log: Int64
        /// What stands for the log in `refs`.
        let place: Int64
        let statement: Statement
        /// The message that was asked for last.
        var asked: Place
        /// That of the reference it stands at; nil where no other follows.
        var next: Place?
    }

    /// A page seldom has messages of more logs than this; of others the statement starts anew.
    static let limit = 8
    /// So many references to messages that are on no page are passed over before it starts anew.
    private static let leap = 4

    private let isForward: Bool
    private let statements: ReferenceStatements
    /// Those of logs that were asked for lately come last.
    private var strands: [Strand] = []
    /// Whose the logs are that refer to messages; nil where the user has blocked the author.
    fileprivate var names: [Int64: LogName?] = [:]

    /// Begins a walk beside a page whose messages come with the oldest, or the newest, first.
    init(_ statements: ReferenceStatements, isForward: Bool) {
        self.statements = statements
        self.isForward = isForward
    }

    func end() {
        for strand in self.strands { strand.statement.reset() }
    }

    /// Runs `body` on what is said of a message, in no order, as long as it gives true; gives what stands for
    /// the message's log.
    fileprivate mutating func forEach(
        of message: Place, in log: Int64, _ key: LogKey,
        _ body: (Statement, inout Self) throws(SQLiteError) -> Bool
    ) throws(SQLiteError) -> Int64 {
        var strand = try self.strand(at: message, of: log, key)
        defer { self.strands.append(strand) }
        while strand.next == message, try body(strand.statement, &self) {
            try Self.step(&strand)
        }
        return strand.place
    }

    /// Takes out the strand of a log, which stands at a message or behind it.
    private mutating func strand(
        at message: Place, of log: Int64, _ key: LogKey
    ) throws(SQLiteError) -> Strand {
        guard let index = self.strands.firstIndex(where: { $0.log == log }) else {
            let statement =
                if self.strands.count < Self.limit {
                    self.statements.walks(isForward: self.isForward)[self.strands.count]
                } else {
                    self.strands.removeFirst().statement
                }
            var strand = Strand(
                log: log, place: key.digest, statement: statement, asked: message)
            try self.start(&strand, at: message)
            return strand
        }
        var strand = self.strands.remove(at: index)
        guard !self.stands(message, before: strand.asked) else {
            try self.start(&strand, at: message)
            return strand
        }
        strand.asked = message
        for _ in 0..<Self.leap {
            guard let next = strand.next, self.stands(next, before: message) else { return strand }
            try Self.step(&strand)
        }
        if let next = strand.next, self.stands(next, before: message) {
            try self.start(&strand, at: message)
        }
        return strand
    }

    private func stands(_ message: Place, before other: Place) -> Bool {
        self.isForward ? message < other : message > other
    }

    private func start(_ strand: inout Strand, at message: Place) throws(SQLiteError) {
        strand.asked = message
        strand.statement.reset()
        try strand.statement.bind(.place, strand.place).bind(.target, message.target)
            .bind(.prefix, message.prefix)
        try Self.step(&strand)
    }

    private static func step(_ strand: inout Strand) throws(SQLiteError) {
        strand.next =
            try strand.statement.step()
            ? Place(
                target: strand.statement.int(.target), prefix: strand.statement.int(.number)) : nil
    }
}

/// What is said of a message, as far as it counts.
private struct Said {
    /// One edit or reaction.
    struct Part {
        let entry: StoredEntry
        let log: Int64
    }

    /// What a fork has put in dispute, so that it does not count.
    var disputes: [StoredEntry] = []
    var edits: [Part] = []
    var reactions: [Part] = []

    /// The edit that counts, and reactions: of each log the latest.
    var counted: [StoredEntry] {
        let edit = self.edits.map(\.entry).max { $1.isShown(after: $0) }
        guard self.reactions.count > Limits.referencesPerLog else {
            return (edit.map { [$0] } ?? []) + self.reactions.map(\.entry)
        }
        var counts: [Int64: Int] = [:]
        var seen: Set<EntryID> = []
        let latest = self.reactions.sorted { $0.entry.isShown(after: $1.entry) }.filter { part in
            counts[part.log, default: 0] += 1
            return seen.insert(part.entry.id).inserted
                && counts[part.log, default: 0] <= Limits.referencesPerLog
        }
        return (edit.map { [$0] } ?? []) + latest.map(\.entry)
    }
}

extension StoreFile {
    /// Adds the edit that counts, and what people make of the message.
    ///
    /// - Parameters:
    ///   - log: the row of the message's log.
    ///   - conversation: that of its conversation.
    func addReferences(
        to entry: inout StoredEntry, of log: Int64, in conversation: Int64,
        _ walk: inout ReferenceWalk
    ) throws(SQLiteError) {
        let place = ReferenceWalk.Place(
            target: Int64(bitPattern: entry.seq), prefix: entry.id.prefix)
        var (said, count, writers) = (Said(), 0, [Int64]())
        let key = entry.key
        let number = try walk.forEach(of: place, in: log, key) { (row, walk) throws(SQLiteError) in
            count += 1
            guard count <= Limits.references else { return false }
            if writers.isEmpty { writers = try self.writers(of: log) }
            try self.add(row, to: &said, writers, key.conversation, &walk.names)
            return true
        }
        if count > Limits.references {
            said = try self.latest(
                NamedEntry(number, seq: place.target, entry.id), of: log, in: conversation,
                key.conversation, &walk.names)
        }
        entry.references = said.counted
        entry.disputes = said.disputes.sorted { $0.isShown(after: $1) }
    }

    /// What is said of a message of which more is said than is looked at: by their times alone, so that it
    /// does not matter which came first.
    private func latest(
        _ named: NamedEntry, of log: Int64, in conversation: Int64, _ id: ConversationID,
        _ names: inout [Int64: LogName?]
    ) throws(SQLiteError) -> Said {
        let writers = try self.writers(of: log)
        let statements = self.statements.references
        var (said, found) = (Said(), names)
        for writer in writers {
            let edits = try self.bind(statements.latest, named)
                .bind(.kind, Reference.Kind.edit.rawValue).bind(.person, writer)
            try edits.forEach { (row) throws(SQLiteError) in
                try self.add(row, to: &said, writers, id, &found)
            }
        }
        let latest = try self.bind(statements.latest, named)
            .bind(.kind, Reference.Kind.reaction.rawValue).bind(.person, Writer.sameDevice)
        try latest.forEach { (row) throws(SQLiteError) in
            try self.add(row, to: &said, writers, id, &found)
        }
        let known = try self.bind(statements.latestOfKnown, named)
            .bind(.conversation, conversation).bind(.owner, self.authorRow(self.owner) ?? 0)
        try known.forEach { (row) throws(SQLiteError) in
            try self.add(row, to: &said, writers, id, &found)
        }
        names = found
        return said
    }

    /// Who may give the messages of a log another text.
    private func writers(of log: Int64) throws(SQLiteError) -> [Int64] {
        Writer.rows(of: try self.statements.names.personIn.bind(.id, log).int())
    }

    /// Adds what a row says, unless nobody sees that, it is disputed, or its author may not say it.
    private func add(
        _ row: Statement, to said: inout Said, _ writers: [Int64], _ id: ConversationID,
        _ names: inout [Int64: LogName?]
    ) throws(SQLiteError) {
        let flags = EntryFlags(rawValue: row.int(.flags))
        guard row.int(.arrival) > 0, flags.isDisjoint(with: .unseen),
            let name = try self.referringLog(row.int(.log), &names)
        else { return }
        let kind = Reference.Kind(rawValue: row.int(.kind))
        guard kind != .edit || writers.contains(row.int(.person)) else { return }
        let entry = try self.referringEntry(row, at: LogKey(conversation: id, name: name))
        let part = Said.Part(entry: entry, log: row.int(.log))
        switch kind {
        case _ where flags.contains(.disputed): said.disputes.append(entry)
        case .edit?: said.edits.append(part)
        case .reaction?: said.reactions.append(part)
        case nil: throw .damaged("what an entry says of a message")
        }
    }

    /// Whose log refers to a message; nil where the user has blocked the author.
    private func referringLog(
        _ log: Int64, _ names: inout [Int64: LogName?]
    ) throws(SQLiteError) -> LogName? {
        if let known = names[log] { return known }
        let name = try self.statements.references.logName.bind(.log, log).first {
            (row) throws(SQLiteError) in
            LogName(
                author: PeerID(try row.bytes32(.key)),
                incarnation: UInt64(stored: row.int(.incarnation)))
        }
        names[log] = .some(name)
        return name
    }
}

extension StoredEntry {
    /// Whether it stands behind another one in display order.
    fileprivate func isShown(after other: StoredEntry) -> Bool {
        (self.time, self.key.name, self.seq) > (other.time, other.key.name, other.seq)
    }
}
