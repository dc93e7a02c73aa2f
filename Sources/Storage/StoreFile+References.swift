internal import Engine

/// What entries say of messages: found from the message, however it came before or after them.
///
/// `Docs/Protocol/Entries.md` section 11.
extension StoreFile {
    /// By what `refs` names a message, so that what is said of neighbours lies together.
    struct ReferenceTarget: Equatable {
        /// The row of its log; of one that is not here, minus that of its conversation.
        let place: Int64
        /// Its seq; of one that is not here, what stands for its place and its id.
        let number: Int64

        /// Names a message that is here.
        init(log: Int64, seq: Int64) {
            self.place = log
            self.number = seq
        }

        /// Names a message that is not here.
        init(waitingFor target: EntryTarget, in conversation: Int64) {
            self.place = -conversation
            self.number = target.digest
        }
    }

    /// Connects an entry that has come with what it refers to, or with what refers to it.
    func refer(
        _ row: EntryRow, _ verdict: EntryVerdict, at key: LogKey, _ progress: inout Progress
    ) throws(SQLiteError) {
        if let reference = verdict.refersTo {
            try self.note(reference, of: row, in: key.conversation, &progress)
        } else if try self.hasWaitingReferences() {
            let place = EntryTarget(log: key.name, seq: UInt64(bitPattern: row.seq), id: row.id)
            try self.releaseReferences(to: row, at: place, in: key.conversation, &progress)
        }
    }

    private func hasWaitingReferences() throws(SQLiteError) -> Bool {
        if let known = self.waitingReferences { return known }
        let isWaiting = try self.statements.references.anyHeld.int() != nil
        self.waitingReferences = isWaiting
        return isWaiting
    }

    /// Notes what an entry says of a message; one that does not count is not noted.
    ///
    /// An edit of a message that is erased is erased with it.
    private func note(
        _ reference: Reference, of row: EntryRow, in conversation: ConversationID,
        _ progress: inout Progress
    ) throws(SQLiteError) {
        let key = LogKey(conversation: conversation, name: reference.target.log)
        guard let log = try self.logRow(key),
            let message = try self.entryRow(log: log.id, seq: reference.target.seq)
        else {
            let target = ReferenceTarget(waitingFor: reference.target, in: row.conversation)
            let waiting = try self.count(target, as: reference.kind)
            let writer = try self.authorship(row.log).device
            // Nobody keeps an author's own edits out, in whichever log of theirs.
            let isAuthors = reference.kind == .edit && writer == reference.target.log.author
            guard isAuthors || waiting < Limits.waitingReferences else { return }
            self.waitingReferences = true
            return try self.add(target, reference.kind, row)
        }
        guard message.id == reference.target.id,
            try self.refer(row, to: message, reference.kind, conversation, &progress)
        else { return }
        try self.add(ReferenceTarget(log: log.id, seq: message.seq), reference.kind, row)
    }

    /// Whether an entry that refers to a message that is here counts; then the message is marked.
    private func refer(
        _ row: EntryRow, to message: EntryRow, _ kind: Reference.Kind,
        _ conversation: ConversationID,
        _ progress: inout Progress
    ) throws(SQLiteError) -> Bool {
        guard !message.flags.contains(.aside) else { return false }
        let (author, writer) = (try self.authorship(row.log), try self.authorship(message.log))
        guard kind.counts(from: author, for: writer) else { return false }
        if kind == .edit, message.flags.contains(.erased) {
            try self.eraseEdit(row, author, conversation, &progress)
            return false
        }
        if !message.flags.contains(.referenced) {
            try self.statements.entries.markOne.bind(.arrival, message.arrival)
                .bind(.flags, EntryFlags.referenced.rawValue).run()
        }
        return true
    }

    private func bind(
        _ statement: Statement, _ target: ReferenceTarget
    ) throws(SQLiteError) -> Statement {
        try statement.bind(.place, target.place).bind(.target, target.number)
    }

    /// How much is noted to be said of a message.
    func count(_ target: ReferenceTarget) throws(SQLiteError) -> Int64 {
        try self.bind(self.statements.references.count, target).int() ?? 0
    }

    /// How many edits are noted of a message, or how much else.
    private func count(
        _ target: ReferenceTarget, as kind: Reference.Kind
    ) throws(SQLiteError) -> Int64 {
        let statements = self.statements.references
        let counting = kind == .edit ? statements.countEdits : statements.countOthers
        return try self.bind(counting, target).int() ?? 0
    }

    /// Of one log the latest are kept, and of strangers no more than may be read at once: edits, which count
    /// of the message's author alone, apart from what anybody may say of it.
    private func add(
        _ target: ReferenceTarget, _ kind: Reference.Kind, _ row: EntryRow
    ) throws(SQLiteError) {
        let statements = self.statements.references
        let count = try self.count(target, as: kind)
        if count >= Limits.references {
            let isOwn = try self.authorRow(self.owner) == row.author
            let isKnown = try statements.isKnown.bind(.author, row.author).int() != nil
            guard isOwn || isKnown, count < 2 * Limits.references else { return }
        }
        try self.bind(statements.add, target).bind(.kind, kind.rawValue).bind(.log, row.log)
            .bind(.seq, row.seq).run()
        let ofLog =
            try self.bind(statements.countOfLog, target).bind(.kind, kind.rawValue)
            .bind(.log, row.log).int() ?? 0
        guard ofLog > Limits.referencesPerLog else { return }
        try self.bind(statements.removeFirst, target).bind(.kind, kind.rawValue)
            .bind(.log, row.log).run()
    }

    /// Whose log a row names.
    private func authorship(_ log: Int64) throws(SQLiteError) -> Authorship {
        let found = try self.statements.references.authorship.bind(.log, log).first {
            (row) throws(SQLiteError) in
            Authorship(
                device: PeerID(try row.bytes32(.key)),
                person: row.isNull(.hash) ? nil : PersonID(try row.bytes32(.hash)))
        }
        guard let found else { throw .damaged("an entry is of no log") }
        return found
    }

    // MARK: What waits

    /// A message has come, so what waits for it counts from here on, or never.
    ///
    /// What people see by that gets a new number, so that whoever reads on from a cursor sees it behind
    /// the message.
    private func releaseReferences(
        to message: EntryRow, at place: EntryTarget, in conversation: ConversationID,
        _ progress: inout Progress
    ) throws(SQLiteError) {
        let statements = self.statements.references
        var found: [(kind: Reference.Kind?, log: Int64, seq: Int64)] = []
        let waiting = ReferenceTarget(waitingFor: place, in: message.conversation)
        try self.bind(statements.held, waiting)
            .forEach { (row) throws(SQLiteError) in
                found.append(
                    (Reference.Kind(rawValue: row.int(.kind)), row.int(.log), row.int(.seq)))
            }
        if !found.isEmpty { self.waitingReferences = nil }
        for (kind, log, seq) in found {
            guard let kind, let row = try self.entryRow(log: log, seq: UInt64(bitPattern: seq))
            else { throw .damaged("an entry of a log is missing") }
            // The message as it is now: the first of these marks it.
            guard let message = try self.entryRow(arrival: message.arrival),
                try self.refer(row, to: message, kind, conversation, &progress)
            else {
                try self.removeReference(row)
                continue
            }
            try self.bind(
                statements.release, ReferenceTarget(log: message.log, seq: message.seq)
            )
            .bind(.log, log).bind(.seq, seq).run()
            guard row.isSeen else { continue }
            let target = progress.arrive()
            try self.move(row.arrival, to: target)
            // The number may be among those that are not indexed yet.
            self.recentIDs = nil
            let stored = try self.statements.reading.stored.bind(.arrival, target).first {
                (row) throws(SQLiteError) in try self.storedEntry(row)
            }
            if let stored { progress.filled.append(stored) }
        }
    }

    // MARK: Erasing

    /// A message is erased: its edits go with it.
    func eraseEdits(
        of message: EntryRow, at place: EntryTarget, in conversation: ConversationID,
        _ progress: inout Progress
    ) throws(SQLiteError) {
        guard message.flags.contains(.referenced) else { return }
        var found: [(log: Int64, seq: Int64)] = []
        let target = ReferenceTarget(log: message.log, seq: message.seq)
        try self.bind(self.statements.references.edits, target)
            .forEach { (row) throws(SQLiteError) in
                found.append((row.int(.log), row.int(.seq)))
            }
        for (log, seq) in found {
            guard let row = try self.entryRow(log: log, seq: UInt64(bitPattern: seq)) else {
                throw .damaged("an entry of a log is missing")
            }
            try self.eraseEdit(row, try self.authorship(log), conversation, &progress)
        }
    }

    /// Takes the text of an edit off the disk; the node is told as of any other entry.
    private func eraseEdit(
        _ row: EntryRow, _ author: Authorship, _ conversation: ConversationID,
        _ progress: inout Progress
    ) throws(SQLiteError) {
        guard !row.flags.contains(.erased) else { return }
        try self.forget(row, as: .erased, &progress)
        let name = LogName(
            author: author.device, incarnation: UInt64(stored: row.incarnation))
        progress.erased.append(
            Erasure(
                conversation: conversation,
                target: EntryTarget(log: name, seq: UInt64(bitPattern: row.seq), id: row.id),
                eraser: author, step: .erase))
    }

    /// A message is taken off the disk: what is said of it waits until it comes again.
    func holdReferences(to message: EntryRow, at place: EntryTarget) throws(SQLiteError) {
        guard message.flags.contains(.referenced) else { return }
        let target = ReferenceTarget(log: message.log, seq: message.seq)
        try self.bind(self.statements.references.hold, target)
            .bind(.conversation, message.conversation).bind(.waiting, place.digest).run()
        self.waitingReferences = nil
    }

    /// What an entry says does not count, or is gone.
    func removeReference(_ row: EntryRow) throws(SQLiteError) {
        try self.statements.references.remove.bind(.log, row.log).bind(.seq, row.seq).run()
        self.waitingReferences = nil
    }
}
