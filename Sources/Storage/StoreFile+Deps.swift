internal import Engine
internal import Crypto

/// Entries and what they follow: one that is not after a dep is hidden while that dep counts.
///
/// A dep behind a fork point counts as not held: of two histories some replicas have one, some the
/// other, and all must show the same. So what is hidden follows from the undisputed entries alone,
/// in whatever order they and the proofs came. A row of `waiting` names each dep that may change it
/// still: one that is not here, and one that hides the entry until its log is found to fork before
/// it.
extension StoreFile {
    /// What a dep says about an entry that follows it.
    enum Verdict {
        /// It is not here.
        case missing
        /// It is here and not before the entry.
        case contradicts
        /// It is here and before the entry, in another conversation, or behind a fork point.
        case agrees
    }

    /// What a dep says about an entry with a time in a conversation.
    func verdict(
        of dep: EntryID, at time: HybridTime, in conversation: Int64
    ) throws(SQLiteError) -> Verdict {
        guard let found = try self.locate(dep) else { return .missing }
        // A dep is an entry of the same conversation; any other says nothing.
        let isContradicted =
            found.conversation == conversation && found.time >= time
            && !found.flags.contains(.disputed)
        return isContradicted ? .contradicts : .agrees
    }

    /// Whether a dep hides the entry; notes each that may change that, and forgets the others.
    func judgeDeps(
        of row: EntryRow, isNew: Bool = false, _ progress: inout Progress
    ) throws(SQLiteError) -> Bool {
        var isContradicted = false
        // Ids can be made to share their first bytes, so that one row stands for two deps.
        var open: Set<Int64> = []
        for dep in row.deps {
            switch try self.verdict(of: dep, at: row.time, in: row.conversation) {
            case .missing: open.insert(dep.prefix)
            case .contradicts:
                open.insert(dep.prefix)
                isContradicted = true
            case .agrees: break
            }
        }
        for dep in row.deps {
            let isOpen = open.contains(dep.prefix)
            guard isOpen || !isNew else { continue }
            let statement =
                isOpen ? self.statements.effects.addWaiting : self.statements.effects.removeWaiting
            try statement.bind(1, dep.prefix)
            try statement.bind(2, row.log)
            try statement.bind(3, row.seq)
            try statement.run()
        }
        progress.hasWaiting = progress.hasWaiting || !open.isEmpty
        #if MUTANTS
            if Mutant.ignoreDeps.isActive { return false }
        #endif
        return isContradicted
    }

    /// Settles the entries that waited for one that has come: hides those that are not after it.
    func settle(_ dep: EntryRow, _ progress: inout Progress) throws(SQLiteError) {
        var waiting: [(log: Int64, seq: Int64)] = []
        let statement = self.statements.effects.waitingFor
        try statement.bind(1, dep.id.prefix)
        try statement.forEach { (row) throws(SQLiteError) in
            waiting.append((row.int(0), row.int(1)))
        }
        for place in waiting {
            let row = try self.waitingRow(place)
            // Ids can be made to share their first bytes; then this is not the one it waits for.
            guard row.deps.contains(dep.id) else { continue }
            if try self.judgeDeps(of: row, &progress) { try self.hide(row, &progress) }
        }
    }

    /// Shows what only the entries of a part of a log have hidden, which are disputed from here on.
    ///
    /// An entry so revealed becomes held, and is released with a new cursor like one that was ahead
    /// of time: who follows a consumer's position has passed its old number.
    func reveal(
        behind log: Int64, from point: UInt64, before end: UInt64, _ progress: inout Progress
    ) throws(SQLiteError) {
        guard progress.hasWaiting else { return }
        var waiting: [(log: Int64, seq: Int64)] = []
        let statement = self.statements.effects.waitingForLog
        try statement.bind(1, log)
        try statement.bind(2, Int64(point))
        try statement.bind(3, Int64(end))
        try statement.forEach { (row) throws(SQLiteError) in
            waiting.append((row.int(0), row.int(1)))
        }
        for place in waiting {
            let row = try self.waitingRow(place)
            guard try !self.judgeDeps(of: row, &progress), row.flags.contains(.hidden),
                !row.flags.contains(.disputed)
            else { continue }
            let reveal = self.statements.entries.reveal
            try reveal.bind(1, row.arrival)
            try reveal.bind(2, Int64(Limits.lateMilliseconds << 16))
            try reveal.run()
            let vacate = self.statements.entries.vacate
            try vacate.bind(1, progress.newest)
            try vacate.run()
            try self.move(row.arrival, to: progress.hold())
        }
    }

    private func waitingRow(_ place: (log: Int64, seq: Int64)) throws(SQLiteError) -> EntryRow {
        guard let row = try self.entryRow(log: place.log, seq: UInt64(place.seq)) else {
            throw .damaged("an entry that waits for a dep is not there")
        }
        return row
    }
}
