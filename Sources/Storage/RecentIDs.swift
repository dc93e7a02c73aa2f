internal import Engine
internal import Formats

/// Where the newest entries are, by the first bytes of their ids: what the table `ids` lacks.
///
/// Ids are random, so each that goes into a large index by itself rewrites a page of it. Here as
/// many gather as the index has pages several times over; then they go there in stretches of
/// neighbours, which share pages. Everything here follows from the rows of `entries`, so it may be
/// thrown away at any time and read again. `Docs/Decisions/0002-one-exclusive-sqlite-file.md`.
struct RecentIDs {
    /// An entry, by the first bytes of its id and its arrival number.
    struct Place: Hashable, Comparable {
        let prefix: Int64
        let arrival: Int64

        static func < (left: Place, right: Place) -> Bool {
            (left.prefix, left.arrival) < (right.prefix, right.arrival)
        }
    }

    /// How far the index has come; a row of the file.
    struct Progress: Hashable {
        /// Up to this arrival number it has all.
        var indexed: Int64
        /// Up to this one it has those whose first bytes are less than `through`.
        var end: Int64
        var through: Int64
    }

    /// How many gather before they are sorted; hardly more than twice as many are here, in 2 MiB.
    static let batchCount = 32_768

    /// How many gather here.
    private let batchCount: Int
    /// The fewest that are moved at a time: single ones would each rewrite a page.
    private var stretchCount: Int { max(1, self.batchCount / 128) }
    /// How far the index is when it has what was taken.
    private(set) var progress: Progress
    /// Arrival numbers by first bytes.
    private var arrivals: [Int64: Int64] = [:]
    /// Those whose first bytes another entry here has, too; only somebody's hard work makes any.
    private var others: [Int64: [Int64]] = [:]
    /// Those that are on their way into the index, greatest first.
    private var sorted: [Place] = []
    /// Whether entries could not be read; then new ones go to the index at once.
    var hasGaps = false
    /// How many have come for which as many may be moved.
    private var due = 0

    /// Starts with nothing.
    init(_ progress: Progress, batchCount: Int) {
        self.progress = progress
        self.batchCount = batchCount
    }

    /// Takes in what the file has behind ``Progress/indexed``, in any order, once.
    mutating func read(_ places: [Place]) {
        for place in places {
            if place.arrival <= self.progress.end {
                guard place.prefix >= self.progress.through else { continue }
                self.sorted.append(place)
            }
            self.keep(place)
        }
        self.sorted.sort(by: >)
        // Many short runs of the program would otherwise leave more and more.
        self.due = max(0, self.count - 2 * self.batchCount)
    }

    /// How many first bytes are here.
    var count: Int { self.arrivals.count }

    /// Adds a new entry.
    mutating func add(_ place: Place) {
        self.keep(place)
        self.due += 1
    }

    private mutating func keep(_ place: Place) {
        if self.arrivals[place.prefix] == nil {
            self.arrivals[place.prefix] = place.arrival
        } else {
            self.others[place.prefix, default: []].append(place.arrival)
        }
    }

    /// The entries whose ids begin so, of those that are here.
    func find(_ prefix: Int64) -> [Int64] {
        guard let arrival = self.arrivals[prefix] else { return [] }
        return [arrival] + (self.others[prefix] ?? [])
    }

    /// The entries whose ids begin within a range, of those that are here; looks at all of them.
    func find(_ range: ClosedRange<Int64>) -> [Int64] {
        self.arrivals.keys.filter(range.contains).flatMap { self.find($0) }
    }

    /// Takes out what is to be put into the index now, sorted; mostly nothing.
    ///
    /// `newest` is the newest arrival number given.
    mutating func take(newest: Int64) -> [Place] {
        if self.hasGaps { return [] }
        if self.sorted.isEmpty {
            guard self.count >= self.batchCount else {
                self.due = 0
                return []
            }
            self.sort(newest: newest)
        }
        guard self.due >= self.stretchCount else { return [] }
        // A little more than came, so that a round ends before as many have come again.
        let taken = Array(self.sorted.suffix(self.due + self.due / 4).reversed())
        self.sorted.removeLast(taken.count)
        self.due = 0
        for place in taken { self.forget(place) }
        self.progress.through = taken.last?.prefix ?? self.progress.through
        if self.sorted.isEmpty { self.progress.indexed = self.progress.end }
        return taken
    }

    private mutating func sort(newest: Int64) {
        self.sorted.reserveCapacity(self.count)
        for (prefix, arrival) in self.arrivals {
            self.sorted.append(Place(prefix: prefix, arrival: arrival))
        }
        for (prefix, arrivals) in self.others {
            for arrival in arrivals {
                self.sorted.append(Place(prefix: prefix, arrival: arrival))
            }
        }
        self.sorted.sort(by: >)
        self.progress.end = newest
        self.progress.through = .min
    }

    private mutating func forget(_ place: Place) {
        var rest = self.find(place.prefix)
        rest.removeAll { $0 == place.arrival }
        self.arrivals[place.prefix] = rest.first
        if self.others[place.prefix] != nil {
            self.others[place.prefix] = rest.count > 1 ? Array(rest.dropFirst()) : nil
        }
    }
}

/// The way from ids to entries: the table `ids`, and ``RecentIDs`` for what it lacks.
extension StoreFile {
    /// The arrival number of the entry with an id; nil where it is not stored.
    func locate(_ id: EntryID) throws(SQLiteError) -> Int64? {
        if let found = try self.locateRecent(id) { return found }
        let locate = self.statements.ids.locate
        if let found = try locate.bind(.prefix, id.prefix).bind(.suffix, suffixOf: id).int() {
            return found
        }
        guard self.recentIDs == nil else { return nil }
        try self.readRecentIDs()
        return try self.locateRecent(id)
    }

    /// The entries whose ids begin as was typed; of more than two only two.
    func entries(beginning prefix: EntryIDPrefix) throws(SQLiteError) -> [StoredEntry] {
        if self.recentIDs == nil { try self.readRecentIDs() }
        let (first, last) = (
            Int64(bitPattern: prefix.range.lowerBound), Int64(bitPattern: prefix.range.upperBound)
        )
        var arrivals = Set(self.recentIDs?.find(first...last) ?? [])
        // Those that share 40 bits and not the rest are few, as ids are hashes.
        try self.statements.ids.between.bind(.first, first).bind(.last, last)
            .bind(.limit, Self.sharedPrefixes).forEach { (row) throws(SQLiteError) in
                arrivals.insert(row.int(.arrival))
            }
        var found: [StoredEntry] = []
        for arrival in arrivals.sorted() where found.count < 2 {
            let entry = try self.stored(at: arrival, self.shownEntry)
            if let entry, prefix.begins(entry.id) { found.append(entry) }
        }
        return found
    }

    /// How many ids that begin alike are looked at.
    private static let sharedPrefixes: Int64 = 64

    private func locateRecent(_ id: EntryID) throws(SQLiteError) -> Int64? {
        for arrival in self.recentIDs?.find(id.prefix) ?? [] {
            let locate = self.statements.ids.locateArrival
            if let found = try locate.bind(.arrival, arrival).bind(.suffix, suffixOf: id).int() {
                return found
            }
        }
        return nil
    }

    func note(_ id: EntryID, at arrival: Int64) throws(SQLiteError) {
        let place = RecentIDs.Place(prefix: id.prefix, arrival: arrival)
        // A held entry gets another number when it is released, which what is recent cannot know.
        if arrival < 0 || self.recentIDs?.hasGaps ?? false { return try self.index(place) }
        self.recentIDs?.add(place)
    }

    /// Notes that an entry has another arrival number; its row has it already.
    func noteMove(_ arrival: Int64, to target: Int64) throws(SQLiteError) {
        try self.statements.ids.move.bind(.arrival, arrival).bind(.target, target).run()
    }

    /// Reads what the index lacks where a batch brings so many entries that some are to be indexed.
    ///
    /// Before the transaction, which SQLite ends by itself where a damaged page is met.
    func prepareIDs(for batch: Batch) throws(SQLiteError) {
        guard self.recentIDs == nil, !batch.appends.isEmpty else { return }
        // Asked before each commit of a new store, so what is known is not read again.
        var newest: Int64
        if let numbering {
            newest = numbering.newest
        } else {
            newest = try self.newestCursor().rawValue
        }
        for append in batch.appends {
            newest += Int64(append.run.run.entries.count)
        }
        if self.indexedIDs == nil { self.indexedIDs = try self.indexingProgress().indexed }
        let lacking = newest - (self.indexedIDs ?? 0)
        if lacking >= Int64(self.idBatchCount) { try self.readRecentIDs() }
    }

    /// Moves into the index what is due for it, at the end of a commit's changes.
    func indexRecent(newest: Int64) throws(SQLiteError) {
        guard let places = self.recentIDs?.take(newest: newest), !places.isEmpty,
            let progress = self.recentIDs?.progress
        else { return }
        for place in places { try self.index(place) }
        try self.statements.ids.setProgress.bind(.indexed, progress.indexed)
            .bind(.until, progress.end).bind(.prefix, progress.through).run()
    }

    private func index(_ place: RecentIDs.Place) throws(SQLiteError) {
        try self.statements.ids.add.bind(.prefix, place.prefix).bind(.arrival, place.arrival).run()
    }

    /// How far the index has come.
    func indexingProgress() throws(SQLiteError) -> RecentIDs.Progress {
        let progress = try self.statements.ids.progress.first { (row) throws(SQLiteError) in
            RecentIDs.Progress(
                indexed: row.int(.indexed), end: row.int(.until), through: row.int(.prefix))
        }
        guard let progress else { throw .damaged("it is not recorded how far ids are indexed") }
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
                try self.statements.ids.recent.bind(.arrival, behind)
                    .forEach { (row) throws(SQLiteError) in
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
        // It goes on from here; once it is lost, how far it has come is read anew.
        self.indexedIDs = nil
    }

    // MARK: Check

    /// Each entry is in the index, but for the newest ones, and nothing else is.
    func checkIDs(_ findings: inout Findings, _ derived: Derived) throws(SQLiteError) {
        let progress = try self.indexingProgress()
        let newest = try self.newestCursor().rawValue
        if progress.indexed < 0 || progress.end < progress.indexed || progress.end > newest {
            findings.add(nil, nil, "it is recorded wrong how far ids are indexed")
        }
        let count = try self.database.prepare(
            """
            SELECT count(i.prefix) AS present, coalesce(sum(i.prefix IS NULL
                AND (e.arrival <= :indexed OR e.arrival <= :until AND e.prefix < :prefix)), 0)
                AS missing
            FROM entries e LEFT JOIN ids i ON i.prefix = e.prefix AND i.arrival = e.arrival
            """)
        let found = try count.bind(.indexed, progress.indexed).bind(.until, progress.end)
            .bind(.prefix, progress.through).first { (row) throws(SQLiteError) in
                (row.int(.present), row.int(.missing))
            }
        guard let (present, missing) = found else { return }
        if missing > 0 { findings.add(nil, nil, "\(missing) ids are missing in their index") }
        let strays = try self.database.int("SELECT count(*) FROM ids") - present
        if strays > 0 { findings.add(nil, nil, "\(strays) ids in the index are of no entry") }
    }
}
