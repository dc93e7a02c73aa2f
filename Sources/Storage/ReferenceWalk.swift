internal import Engine

/// What entries say of the messages of a page, read along with them.
///
/// The messages of one log come in the order of their seqs, and what is said of them lies in that order
/// (`refs`). So one statement for each log walks beside the page, instead of one being started for each
/// message: that is half of what it costs. Whoever begins a walk must end it; a page is one walk.
struct ReferenceWalk {
    /// The statement of a log, at the first reference that was not given yet.
    private struct Strand {
        var log: Int64
        let statement: Statement
        /// The seq of the message that was asked for last.
        var asked: Int64
        /// That of the reference it stands at; nil where no other follows.
        var next: Int64?
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

    /// Ends the walk.
    func end() {
        for strand in self.strands { strand.statement.reset() }
    }

    /// Runs `body` on what is said of a message, in no order.
    fileprivate mutating func forEach(
        of seq: Int64, in log: Int64,
        _ body: (Statement, inout Self) throws(SQLiteError) -> Void
    ) throws(SQLiteError) {
        var strand = try self.strand(at: seq, of: log)
        defer { self.strands.append(strand) }
        while strand.next == seq {
            try body(strand.statement, &self)
            try Self.step(&strand)
        }
    }

    /// Takes out the strand of a log, which stands at a message or behind it.
    private mutating func strand(
        at seq: Int64, of log: Int64
    ) throws(SQLiteError) -> Strand {
        guard let index = self.strands.firstIndex(where: { $0.log == log }) else {
            let statement =
                if self.strands.count < Self.limit {
                    self.statements.walks(isForward: self.isForward)[self.strands.count]
                } else {
                    self.strands.removeFirst().statement
                }
            var strand = Strand(log: log, statement: statement, asked: seq)
            try self.start(&strand, at: seq)
            return strand
        }
        var strand = self.strands.remove(at: index)
        guard !self.stands(seq, before: strand.asked) else {
            try self.start(&strand, at: seq)
            return strand
        }
        strand.asked = seq
        for _ in 0..<Self.leap {
            guard let next = strand.next, self.stands(next, before: seq) else { return strand }
            try Self.step(&strand)
        }
        if let next = strand.next, self.stands(next, before: seq) {
            try self.start(&strand, at: seq)
        }
        return strand
    }

    private func stands(_ seq: Int64, before other: Int64) -> Bool {
        self.isForward ? seq < other : seq > other
    }

    private func start(_ strand: inout Strand, at seq: Int64) throws(SQLiteError) {
        strand.asked = seq
        strand.statement.reset()
        try strand.statement.bind(.place, strand.log).bind(.target, seq)
        try Self.step(&strand)
    }

    private static func step(_ strand: inout Strand) throws(SQLiteError) {
        strand.next = try strand.statement.step() ? strand.statement.int(.target) : nil
    }
}

extension StoreFile {
    /// Adds the edit that counts, and what people make of the message.
    func addReferences(
        to entry: inout StoredEntry, of log: Int64, _ walk: inout ReferenceWalk
    ) throws(SQLiteError) {
        var edit: StoredEntry?
        var reactions: [StoredEntry] = []
        let place = entry.key.conversation
        try walk.forEach(of: Int64(bitPattern: entry.seq), in: log) {
            (row, walk) throws(SQLiteError) in
            let flags = EntryFlags(rawValue: row.int(.flags))
            guard row.int(.arrival) > 0, flags.isDisjoint(with: .unseen),
                let name = try self.referringLog(row.int(.log), &walk.names)
            else { return }
            let key = LogKey(conversation: place, name: name)
            let found = try self.referringEntry(row, at: key)
            switch Reference.Kind(rawValue: row.int(.kind)) {
            case .edit?: edit = edit.map { found.isShown(after: $0) ? found : $0 } ?? found
            case .reaction?: reactions.append(found)
            case nil: throw .damaged("what an entry says of a message")
            }
        }
        entry.references = (edit.map { [$0] } ?? []) + reactions
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
