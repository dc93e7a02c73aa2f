internal import Formats

/// The peer's rows of logs whose names are not known here, and the questions for their first entries.
///
/// `Docs/Protocol/Sync.md` section 5. Only its entries hold a log's name.
struct UnknownLogs: Sendable {
    private var rows: [UInt64: ClockRow] = [:]
    /// Those of them that were asked for in vain, until the peer tells of them or of a digest again.
    private var declined: Set<UInt64> = []
    /// Which page told of a tag, where one did; and the other way round.
    private var pageOf: [UInt64: UInt8] = [:]
    private var pages: [UInt8: Set<UInt64>] = [:]
    /// The logs whose first entries the peer was asked for, by their tags.
    private(set) var discoveries: [UInt64: Fetch] = [:]
    /// Until when nobody else is asked for first entries, while `discoveries` are open.
    private(set) var patience: UInt64 = 0

    /// Whether there is nothing to ask for.
    var isEmpty: Bool { self.rows.count == self.declined.count }

    var count: Int { self.rows.count }

    /// Whether the peer has, or is asked for, what this node might want.
    var isSeeking: Bool { !self.isEmpty || !self.discoveries.isEmpty }

    // MARK: Rows

    /// Takes a row of a page, or of a delta; false where the peer has said the same before.
    mutating func receive(_ row: ClockRow, page: UInt8?) -> Bool {
        let earlier = self.rows[row.tag]
        let page = page ?? self.pageOf[row.tag]
        self.drop(row.tag)
        guard row.seq > 0, row.state != .refused else { return earlier != nil }
        guard self.count < Limits.logsPerConversation else { return false }
        self.rows[row.tag] = row
        if let page {
            self.pageOf[row.tag] = page
            self.pages[page, default: []].insert(row.tag)
        }
        return earlier != row
    }

    /// Drops the rows of an earlier page that a newer one does not hold; false where there are none.
    mutating func endPage(_ bucket: UInt8, _ rows: [ClockRow]) -> Bool {
        guard let known = self.pages[bucket] else { return false }
        let left = known.subtracting(rows.map(\.tag))
        for tag in left { self.drop(tag) }
        return !left.isEmpty
    }

    /// Drops what the peer has told of a log, which is known here from then on or is gone.
    @discardableResult
    mutating func drop(_ tag: UInt64) -> ClockRow? {
        if let page = self.pageOf.removeValue(forKey: tag) {
            self.pages[page]?.remove(tag)
            if self.pages[page]?.isEmpty == true { self.pages[page] = nil }
        }
        defer { if self.count == 0 { self.forgetRoom() } }
        self.declined.remove(tag)
        return self.rows.removeValue(forKey: tag)
    }

    /// A dictionary keeps its room, which a newcomer would have for all logs on each of a hundred links.
    private mutating func forgetRoom() {
        guard self.rows.capacity + self.declined.capacity + self.pageOf.capacity > 0 else { return }
        (self.rows, self.declined, self.pageOf, self.pages) = ([:], [], [:], [:])
    }

    /// Forgets all that the peer has told, but for what it is being asked.
    mutating func forgetRows() {
        (self.rows, self.declined, self.pageOf, self.pages) = ([:], [], [:], [:])
    }

    /// Asks again for what was asked for in vain; false where there is none.
    mutating func retry() -> Bool {
        guard !self.declined.isEmpty else { return false }
        self.declined = []
        return true
    }

    // MARK: First entries

    /// Whether nobody else is to be asked for first entries yet.
    func isPatient(at now: UInt64) -> Bool { !self.discoveries.isEmpty && self.patience > now }

    /// The tags of the logs whose first entries the peer is to be asked for next.
    func choose(atMost free: Int) -> [UInt64] {
        let free = min(free, Limits.discoveriesPerLink - self.discoveries.count)
        return Array(
            self.rows.keys.filter { self.discoveries[$0] == nil && !self.declined.contains($0) }
                .sorted().prefix(max(0, free)))
    }

    mutating func begin(_ fetch: Fetch, patience: UInt64) {
        self.discoveries[fetch.tag] = fetch
        self.patience = patience
    }

    /// A run answers the question for a log's first entry; what is left of it is a fetch.
    ///
    /// Who answers is not slow, however much it was asked for.
    mutating func finish(_ tag: UInt64, patience: UInt64) -> Fetch? {
        guard let fetch = self.discoveries.removeValue(forKey: tag) else { return nil }
        self.drop(tag)
        self.patience = patience
        return fetch
    }

    /// Gives questions for first entries up; gives how many.
    mutating func giveUp(where isOver: (Fetch) -> Bool) -> Int {
        let over = self.discoveries.values.filter(isOver)
        for fetch in over {
            self.discoveries[fetch.tag] = nil
            if self.rows[fetch.tag] != nil { self.declined.insert(fetch.tag) }
        }
        return over.count
    }
}
