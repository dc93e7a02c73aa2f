internal import Engine
internal import Formats

/// What entries say of others, and which they want erased: found from those, whichever came first.
///
/// Nothing waits in memory, and nothing is bounded by what came first: there is a row for each entry that
/// names another one, at a place that follows from the name alone. Of a message with very many of them it is
/// chosen by their times when it is read. `Docs/Protocol/Entries.md` sections 9 and 11.
extension StoreFile {
    /// By what `refs` and `erasures` name an entry, here or not.
    struct NamedEntry: Equatable {
        /// Stands for its log.
        let place: Int64
        /// Its seq.
        let target: Int64
        /// The first bytes of its id.
        let prefix: Int64

        /// Names an entry of a log by what stands for that.
        init(_ place: Int64, seq: Int64, _ id: EntryID) {
            self.place = place
            self.target = seq
            self.prefix = id.prefix
        }

        /// Names an entry of a conversation.
        init(_ target: EntryTarget, in conversation: ConversationID) {
            let key = LogKey(conversation: conversation, name: target.log)
            self.init(key.digest, seq: Int64(bitPattern: target.seq), target.id)
        }
    }

    /// Whose words count for whose entries, as a number to look up.
    enum Writer {
        /// In a row: the device that has written what is named, whoever it says it is.
        static let sameDevice: Int64 = 0
        /// In a row: somebody of whom it is not known who they are.
        private static let nobody: Int64 = -1

        /// The number that stands with what a device says of an entry.
        static func row(
            of author: PeerID, _ person: Int64?, about target: EntryTarget
        ) -> Int64 {
            author == target.log.author ? Self.sameDevice : person ?? Self.nobody
        }

        /// The numbers of those who may change an entry of a person: ``Authorship/mayChange(_:)``.
        static func rows(of person: Int64?) -> [Int64] {
            [Self.sameDevice] + (person.map { [$0] } ?? [])
        }
    }

    func bind(_ statement: Statement, _ named: NamedEntry) throws(SQLiteError) -> Statement {
        try statement.bind(.place, named.place).bind(.target, named.target)
            .bind(.prefix, named.prefix)
    }

    // MARK: What a run is named by

    /// The entries of a run that others here say something of, or want erased.
    struct NamedEntries {
        var referenced: Set<Int64> = []
        var erased: Set<Int64> = []
    }

    /// Looks for entries that name some of a run: twice a run, where anything is named at all.
    func named(_ run: Run, at place: Int64) throws(SQLiteError) -> NamedEntries {
        var named = NamedEntries()
        guard try self.hasReferences() else { return named }
        let statements = self.statements.references
        let (first, last) = (Int64(run.first), Int64(run.last))
        named.referenced = try self.numbers(statements.firstReferenced, place, first, last)
        named.erased = try self.numbers(statements.firstErased, place, first, last)
        return named
    }

    private func numbers(
        _ statement: Statement, _ place: Int64, _ first: Int64, _ last: Int64
    ) throws(SQLiteError) -> Set<Int64> {
        var (found, next): (Set<Int64>, Int64) = ([], first)
        while next <= last,
            let seq = try statement.bind(.place, place).bind(.first, next).bind(.last, last).int()
        {
            found.insert(seq)
            next = seq + 1
        }
        return found
    }

    private func hasReferences() throws(SQLiteError) -> Bool {
        if let known = self.isAnythingNamed { return known }
        let isNamed = try self.statements.references.any.int() == 1
        self.isAnythingNamed = isNamed
        return isNamed
    }

    // MARK: Edits and reactions

    /// Notes what an entry says of a message; an edit of one that is erased is erased with it.
    func note(
        _ reference: Reference, of row: EntryRow, by author: PeerID, _ person: Int64?,
        in conversation: ConversationID, _ progress: inout Progress
    ) throws(SQLiteError) {
        let target = reference.target
        #if MUTANTS
            if Reference.isBoundEarly, try self.isLost(target, in: conversation) {
                return
            }
        #endif
        try self.add(reference, of: row, by: author, person, in: conversation)
        let key = LogKey(conversation: conversation, name: target.log)
        guard let log = try self.logRow(key),
            let message = try self.entryRow(log: log.id, seq: target.seq), message.id == target.id
        else { return }
        if !message.flags.contains(.referenced) {
            try self.statements.entries.markOne.bind(.arrival, message.arrival)
                .bind(.flags, EntryFlags.referenced.rawValue).run()
        }
        let writer = Writer.row(of: author, person, about: target)
        guard reference.kind == .edit, message.flags.contains(.erased),
            Writer.rows(of: log.person).contains(writer)
        else { return }
        try self.eraseEdit(row, by: author, conversation, &progress)
    }

    #if MUTANTS
        /// Whether much is said already of a message that is not here.
        private func isLost(
            _ target: EntryTarget, in conversation: ConversationID
        ) throws(SQLiteError) -> Bool {
            let key = LogKey(conversation: conversation, name: target.log)
            if let log = try self.logRow(key), log.head.seq >= target.seq { return false }
            var count = 0
            try self.bind(
                self.database.statement(
                    """
                    SELECT 1 FROM refs
                    WHERE place = :place AND target = :target AND prefix = :prefix
                    """), NamedEntry(target, in: conversation)
            ).forEach { (_) throws(SQLiteError) in count += 1 }
            return count >= 64
        }
    #endif

    private func add(
        _ reference: Reference, of row: EntryRow, by author: PeerID, _ person: Int64?,
        in conversation: ConversationID
    ) throws(SQLiteError) {
        self.isAnythingNamed = true
        let kind = reference.kind
        let named = NamedEntry(reference.target, in: conversation)
        let writer =
            kind == .edit
            ? Writer.row(of: author, person, about: reference.target) : Writer.sameDevice
        try self.bind(self.statements.references.add, named).bind(.kind, kind.rawValue)
            .bind(.person, writer).bind(.hlc, row.time.stored).bind(.id, row.id.prefix)
            .bind(.log, row.log).bind(.seq, row.seq).run()
    }

    /// What an entry says of a message is gone.
    func removeReference(_ row: EntryRow) throws(SQLiteError) {
        try self.statements.references.remove.bind(.log, row.log).bind(.seq, row.seq).run()
    }

    /// A message has come after what is said of it: gives both, what is shown of that with new numbers, so that
    /// whoever reads on from a cursor sees it behind the message.
    func tellReferences(
        to message: EntryRow, _ progress: inout Progress
    ) throws(SQLiteError) {
        guard message.arrival > 0, let found = try self.stored(at: message.arrival, self.shownEntry)
        else { return }
        for reference in found.references where progress.told < Limits.toldReferences {
            let target = progress.arrive()
            try self.move(reference.cursor.rawValue, to: target)
            progress.told += 1
            if let entry = try self.stored(at: target, self.storedEntry) {
                progress.filled.append(entry)
            }
        }
        // The numbers may be among those that are not indexed yet.
        if !found.references.isEmpty { self.recentIDs = nil }
        guard message.isSeen, !found.references.isEmpty,
            let entry = try self.stored(at: message.arrival, self.shownEntry)
        else { return }
        progress.filled.append(entry)
    }

    /// Whether something is said of an entry.
    func isReferenced(_ named: NamedEntry) throws(SQLiteError) -> Bool {
        try self.bind(self.statements.references.isReferenced, named).int() != nil
    }

    // MARK: Erasing

    /// Notes what a control entry wants erased, and erases what of that is here and may be.
    func erase(
        _ targets: [EntryTarget], by row: EntryRow, of author: PeerID, _ person: Int64?,
        in conversation: ConversationID, _ progress: inout Progress
    ) throws(SQLiteError) {
        for target in targets {
            self.isAnythingNamed = true
            let named = NamedEntry(target, in: conversation)
            let writer = Writer.row(of: author, person, about: target)
            try self.bind(self.statements.references.addErasure, named).bind(.person, writer)
                .bind(.log, row.log).bind(.seq, row.seq).run()
            let key = LogKey(conversation: conversation, name: target.log)
            guard !row.visibility.isDisputed, let log = try self.logRow(key),
                Writer.rows(of: log.person).contains(writer),
                let found = try self.entryRow(log: log.id, seq: target.seq),
                found.id == target.id, !found.flags.contains(.erased),
                try self.entry(of: found).entryClass != EntryClass.control.rawValue
            else { continue }
            try self.erase(found, of: log, target, in: conversation, &progress)
        }
    }

    /// Erases an entry that is here, and the edits of it.
    private func erase(
        _ row: EntryRow, of log: LogRow, _ target: EntryTarget, in conversation: ConversationID,
        _ progress: inout Progress
    ) throws(SQLiteError) {
        let wasSeen = row.isSeen && !row.flags.contains(.aside)
        try self.forget(row, as: .erased, &progress)
        let place = NamedEntry(target, in: conversation)
        try self.eraseEdits(of: place, person: log.person, in: conversation, &progress)
        progress.erased.append(Erasure(conversation: conversation, target: target))
        if wasSeen {
            progress.takenBack.append((conversation, target.id, target.log.author))
        }
    }

    /// Whether an entry that comes was to be erased.
    func isErased(_ named: NamedEntry, person: Int64?) throws(SQLiteError) -> Bool {
        for writer in Writer.rows(of: person) {
            let isErased = try self.bind(self.statements.references.isErased, named)
                .bind(.person, writer).int()
            if isErased != nil { return true }
        }
        return false
    }

    /// A message is erased: its edits go with it.
    func eraseEdits(
        of named: NamedEntry, person: Int64?, in conversation: ConversationID,
        _ progress: inout Progress
    ) throws(SQLiteError) {
        var found: [(log: Int64, seq: Int64)] = []
        for writer in Writer.rows(of: person) {
            try self.bind(self.statements.references.edits, named).bind(.person, writer)
                .forEach { (row) throws(SQLiteError) in
                    found.append((row.int(.log), row.int(.seq)))
                }
        }
        for (log, seq) in found {
            let (row, author) = try self.edit(log, seq)
            try self.eraseEdit(row, by: author, conversation, &progress)
        }
    }

    /// The latest edits of a message by its author, as many as a deletion of it names beside it: whoever has the deletion
    /// alone knows of these, too.
    func latestEdits(of target: EntryTarget, in conversation: ConversationID) throws(SQLiteError)
        -> [EntryTarget]
    {
        let key = LogKey(conversation: conversation, name: target.log)
        guard let log = try self.logRow(key) else { return [] }
        let named = NamedEntry(target, in: conversation)
        var found: [(log: Int64, seq: Int64, time: Int64)] = []
        for writer in Writer.rows(of: log.person) {
            try self.bind(self.statements.references.latestEdits, named).bind(.person, writer)
                .forEach { (row) throws(SQLiteError) in
                    found.append((row.int(.log), row.int(.seq), row.int(.hlc)))
                }
        }
        let latest = found.sorted { $1.time < $0.time }.prefix(Limits.ownEraseTargets - 1)
        var edits: [EntryTarget] = []
        for (log, seq, _) in latest {
            let (row, author) = try self.edit(log, seq)
            let name = LogName(author: author, incarnation: UInt64(stored: row.incarnation))
            edits.append(EntryTarget(log: name, seq: UInt64(bitPattern: row.seq), id: row.id))
        }
        return edits
    }

    private func edit(_ log: Int64, _ seq: Int64) throws(SQLiteError) -> (EntryRow, PeerID) {
        guard let row = try self.entryRow(log: log, seq: UInt64(bitPattern: seq)) else {
            throw .damaged("an entry of a log is missing")
        }
        let author = try self.statements.names.deviceOf.bind(.id, log).first {
            (row) throws(SQLiteError) in PeerID(try row.bytes32(.key))
        }
        guard let author else { throw .damaged("an entry is of no log") }
        return (row, author)
    }

    /// Takes the text of an edit off the disk; the node is told as of any other entry.
    private func eraseEdit(
        _ row: EntryRow, by author: PeerID, _ conversation: ConversationID,
        _ progress: inout Progress
    ) throws(SQLiteError) {
        guard !row.flags.contains(.erased) else { return }
        try self.forget(row, as: .erased, &progress)
        let name = LogName(author: author, incarnation: UInt64(stored: row.incarnation))
        progress.erased.append(
            Erasure(
                conversation: conversation,
                target: EntryTarget(log: name, seq: UInt64(bitPattern: row.seq), id: row.id)))
    }
}
