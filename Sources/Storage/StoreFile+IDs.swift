internal import Engine

/// The way from ids to entries: the table `ids`, and ``RecentIDs`` for what it lacks.
extension StoreFile {
    /// The arrival number of the entry with an id; nil where it is not stored.
    func locate(_ id: EntryID) throws(SQLiteError) -> Int64? {
        if let found = try self.locateRecent(id) { return found }
        let statement = self.statements.ids.locate
        try statement.bind(.prefix, id.prefix)
        try id.withSuffix { (bytes) throws(SQLiteError) in try statement.bind(.suffix, bytes) }
        if let found = try statement.int() { return found }
        guard self.recentIDs == nil else { return nil }
        try self.readRecentIDs()
        return try self.locateRecent(id)
    }

    private func locateRecent(_ id: EntryID) throws(SQLiteError) -> Int64? {
        for arrival in self.recentIDs?.find(id.prefix) ?? [] {
            let statement = self.statements.ids.locateArrival
            try statement.bind(.arrival, arrival)
            try id.withSuffix { (bytes) throws(SQLiteError) in try statement.bind(.suffix, bytes) }
            if let found = try statement.int() { return found }
        }
        return nil
    }

    /// Notes where a new entry is.
    func note(_ id: EntryID, at arrival: Int64) throws(SQLiteError) {
        let place = RecentIDs.Place(prefix: id.prefix, arrival: arrival)
        // A held entry gets another number when it is released, which what is recent cannot know.
        if arrival < 0 || self.recentIDs?.hasGaps ?? false { return try self.index(place) }
        self.recentIDs?.add(place)
    }

    /// Notes that an entry has another arrival number; its row has it already.
    func noteMove(_ arrival: Int64, to target: Int64) throws(SQLiteError) {
        let statement = self.statements.ids.move
        try statement.bind(.arrival, arrival)
        try statement.bind(.target, target)
        try statement.run()
    }

    /// Reads what the index lacks where a batch brings so many entries that some are to be indexed.
    ///
    /// Before the transaction, which SQLite ends by itself where a damaged page is met.
    func prepareIDs(for batch: Batch) throws(SQLiteError) {
        guard self.recentIDs == nil, !batch.appends.isEmpty else { return }
        var newest = try self.newestCursor().rawValue
        for append in batch.appends {
            newest += Int64(append.run.run.entries.count)
        }
        let lacking = newest - (try self.indexingProgress()).indexed
        if lacking >= Int64(self.idBatchCount) { try self.readRecentIDs() }
    }

    /// Moves into the index what is due for it, at the end of a commit's changes.
    func indexRecent(newest: Int64) throws(SQLiteError) {
        guard let places = self.recentIDs?.take(newest: newest), !places.isEmpty,
            let progress = self.recentIDs?.progress
        else { return }
        for place in places { try self.index(place) }
        let statement = self.statements.ids.setProgress
        try statement.bind(.indexed, progress.indexed)
        try statement.bind(.until, progress.end)
        try statement.bind(.prefix, progress.through)
        try statement.run()
    }

    private func index(_ place: RecentIDs.Place) throws(SQLiteError) {
        let statement = self.statements.ids.add
        try statement.bind(.prefix, place.prefix)
        try statement.bind(.arrival, place.arrival)
        try statement.run()
    }

    /// How far the index has come.
    func indexingProgress() throws(SQLiteError) -> RecentIDs.Progress {
        let progress = try self.statements.ids.progress.first { (row) throws(SQLiteError) in
            RecentIDs.Progress(
                indexed: row.int(.indexed), end: row.int(.until), through: row.int(.prefix))
        }
        guard let progress else { throw .damaged("how far ids are indexed is not noted") }
        return progress
    }

    /// Reads what the index lacks: after a start or a failed commit, some ten thousand rows at most.
    private func readRecentIDs() throws(SQLiteError) {
        var recent = RecentIDs(
            try self.indexingProgress(), batchCount: self.idBatchCount)
        var places: [RecentIDs.Place] = []
        let newest = try self.newestCursor().rawValue
        var behind = recent.progress.indexed
        while behind < newest {
            do throws(SQLiteError) {
                let statement = self.statements.ids.recent
                try statement.bind(.arrival, behind)
                try statement.forEach { (row) throws(SQLiteError) in
                    behind = row.int(.arrival)
                    places.append(RecentIDs.Place(prefix: row.int(.prefix), arrival: behind))
                }
                break
            } catch {
                // A damaged page must not stop conversations that have nothing in it. An entry there
                // is as if it were missing; ids are indexed no further, so none is forgotten.
                guard error.isDamage else { throw error }
                recent.hasGaps = true
                behind += 1
            }
        }
        recent.read(places)
        self.recentIDs = recent
    }

    // MARK: Check

    /// Each entry is in the index, but for the newest ones, and nothing else is.
    func checkIDs(_ findings: inout Findings, _ derived: Derived) throws(SQLiteError) {
        let progress = try self.indexingProgress()
        let newest = try self.newestCursor().rawValue
        if progress.indexed < 0 || progress.end < progress.indexed || progress.end > newest {
            findings.add(nil, nil, "how far ids are indexed is noted wrong")
        }
        let count = try self.database.prepare(
            """
            SELECT count(i.prefix) AS present, coalesce(sum(i.prefix IS NULL
                AND (e.arrival <= :indexed OR e.arrival <= :until AND e.prefix < :prefix)), 0)
                AS missing
            FROM entries e LEFT JOIN ids i ON i.prefix = e.prefix AND i.arrival = e.arrival
            """)
        try count.bind(.indexed, progress.indexed)
        try count.bind(.until, progress.end)
        try count.bind(.prefix, progress.through)
        let found = try count.first { (row) throws(SQLiteError) in
            (row.int(.present), row.int(.missing))
        }
        guard let (present, missing) = found else { return }
        if missing > 0 { findings.add(nil, nil, "\(missing) ids are missing in their index") }
        let strays = try self.database.int("SELECT count(*) FROM ids") - present
        if strays > 0 { findings.add(nil, nil, "\(strays) ids in the index are of no entry") }
    }
}
