internal import Crypto

/// What became of a run that was to be pushed.
enum Push {
    /// The peer lacks what is before it, and will ask.
    case none
    /// It is sent.
    case now
    /// The link lags: what is missing comes from the store.
    case later
}

/// What a row of the peer's clock asks for.
struct RowFinding: Hashable, Sendable {
    /// What is to be done about the entries.
    enum Step: Hashable, Sendable {
        /// Nothing.
        case none
        /// The peer has more, to be asked for once the author has had its time to push it.
        case fetch
        /// The peer has another history.
        case searchFork
        /// The peer may be pushed an own log from where it stands.
        case feed
    }

    /// The proof that the peer does not know yet.
    var proof: ForkProof?
    var step = Step.none
}

/// One conversation on one link: what the peer has of it, was told of it and is sent of it.
///
/// `Docs/Protocol/Sync.md` sections 2 to 5: digests first, then clocks, then wants. It holds for as
/// long as both ends are in the conversation. Whom to ask for what is decided over all links, by
/// ``Fetching``.
struct ConversationSync: Sendable {
    // What was told and heard.
    private var digestSent: Bytes32?
    private var digestReceived: Bytes32?
    /// When to send an unchanged digest again because the peer's differs, and how long to wait next.
    private var repair: (at: UInt64, wait: UInt64)?
    /// Whether the own complete clock was sent since the own digest was.
    private(set) var isClockSent = false
    /// Whether the peer's complete clock has come, or a digest that equals the own one.
    private(set) var isPeerKnown = false
    /// The number of the last news that the own complete clock has told.
    var newsTold: UInt64

    // The peer's clock.
    /// The names behind the link's tags.
    var names: [UInt64: LogName]
    /// Its rows of logs whose names are known here.
    private(set) var rows: [LogName: ClockRow] = [:]
    /// Its rows of logs not yet known here.
    private(set) var unknown: [UInt64: ClockRow] = [:]
    /// Logs of which the peer has more than this node, and when they may be asked for.
    var lacking: [LogName: UInt64] = [:]
    /// The logs of `unknown` whose first entries the peer was asked for, by their tags.
    private(set) var discoveries: [UInt64: Fetch] = [:]
    /// Until when nobody else is asked for first entries, while `discoveries` are open.
    private(set) var patience: UInt64 = 0

    // What the peer is sent.
    /// Own logs that the peer has, or was sent, up to here: new entries are pushed from there.
    var fed: [LogName: UInt64] = [:]
    /// Logs of others that the peer has asked for here: it is told at once when they grow.
    var taken: Set<LogName> = []

    init(names: [UInt64: LogName], newsTold: UInt64) {
        self.names = names
        self.newsTold = newsTold
    }

    /// How many entries of a log the peer says to have.
    func seq(of name: LogName) -> UInt64 { self.rows[name]?.seq ?? 0 }

    /// Whether the peer has what this node might ask it for.
    var isSeeking: Bool {
        !self.lacking.isEmpty || !self.unknown.isEmpty || !self.discoveries.isEmpty
    }

    // MARK: Digests

    mutating func noteDigestSent(_ digest: Bytes32) {
        self.digestSent = digest
        self.isClockSent = false
    }

    /// Whether a digest is to be sent at a ping: it says what has changed since the last one, and so
    /// repairs what deltas have missed.
    ///
    /// One that has not changed is sent again, ever more rarely, while the peer's differs: a want may
    /// have been given up, a record may have been ahead of time.
    mutating func isDigestDue(_ digest: Bytes32, at now: UInt64) -> Bool {
        if self.digestSent != digest {
            self.repair = nil
            return true
        }
        if self.digestReceived == digest {
            self.repair = nil
            return false
        }
        guard let (moment, wait) = self.repair else {
            let first = Limits.repairFirstMilliseconds
            self.repair = (now + first, first)
            return false
        }
        guard moment <= now else { return false }
        let next = min(2 * wait, Limits.repairLastMilliseconds)
        self.repair = (now + next, next)
        return true
    }

    /// Takes the peer's digest; true where it equals the own one.
    mutating func receiveDigest(_ theirs: Bytes32, own: Bytes32) -> Bool {
        self.digestReceived = theirs
        if theirs == own { self.isPeerKnown = true }
        return theirs == own
    }

    /// Notes that the peer has an own log to its end, so that new entries may be pushed.
    mutating func noteEqual(_ name: LogName, _ row: ClockRow) {
        self.fed[name] = row.seq
        self.rows[name] = row
    }

    // MARK: Clocks

    mutating func noteClockSent(news: UInt64) {
        self.isClockSent = true
        self.newsTold = news
    }

    /// A complete clock begins: what was known of the peer's is over.
    mutating func beginClock() {
        self.isPeerKnown = true
        self.rows = [:]
        self.unknown = [:]
        self.lacking = [:]
    }

    /// Takes a row whose log is not known here.
    mutating func receiveUnknown(_ row: ClockRow) {
        guard row.seq > 0, row.state != .refused,
            self.unknown.count < Limits.logsPerConversation
        else { return }
        self.unknown[row.tag] = row
    }

    /// Takes a row of a log that is known here, and compares it with what is here.
    mutating func receiveRow(
        _ row: ClockRow, of name: LogName, _ log: LogProgress, _ tags: LinkTags, isOwn: Bool,
        isComplete: Bool
    ) -> RowFinding {
        self.rows[name] = row
        var finding = RowFinding()
        if let proof = log.fork {
            if row.state != .forked || row.seq > log.head.seq { finding.proof = proof }
            if row.state != .forked { return finding }
        }
        if row.state == .refused { return finding }
        if row.seq == log.head.seq && row.seq > 0 && row.headTag != tags.head(log.head.id) {
            finding.step = .searchFork
        } else if row.seq > log.tail.seq && !log.isBeyondFork(log.tail.seq + 1) {
            finding.step = .fetch
        } else if isOwn && !isComplete {
            finding.step = .feed
        }
        return finding
    }

    /// A complete clock has come: settles from where an own log is pushed.
    mutating func settleFeed(_ name: LogName, head: UInt64) {
        let seq = self.seq(of: name)
        // What is on its way since the peer wrote its clock counts, too.
        if let fed = self.fed[name] {
            self.fed[name] = max(fed, seq)
        } else if seq == head {
            self.fed[name] = seq
        }
    }

    /// Whether the peer's clock has a row for a log.
    func hasRow(_ name: LogName) -> Bool { self.rows[name] != nil }

    /// A run shows that the peer has more than its clock said.
    mutating func noteMore(_ name: LogName, tag: UInt64, seq: UInt64) {
        guard self.seq(of: name) < seq else { return }
        self.rows[name] = ClockRow(tag: tag, seq: seq, headTag: 0, state: .open)
    }

    /// Learns which log a tag means; gives how many entries the peer has of it, where it has told.
    mutating func learnName(_ name: LogName, tag: UInt64) -> UInt64? {
        self.names[tag] = name
        guard let row = self.unknown.removeValue(forKey: tag) else { return nil }
        self.rows[name] = row
        return row.seq
    }

    /// The peer does not serve a log that it has told of.
    mutating func forgetRow(_ name: LogName) {
        self.lacking[name] = nil
        self.rows[name] = nil
    }

    // MARK: First entries of unknown logs

    /// Whether nobody else is to be asked for first entries yet.
    func isPatient(at now: UInt64) -> Bool { !self.discoveries.isEmpty && self.patience > now }

    /// The logs whose first entries the peer is to be asked for next, and how many of them: of one
    /// only all, of several the first.
    func chooseDiscoveries(atMost free: Int) -> [(tag: UInt64, through: UInt64)] {
        let free = min(free, Limits.discoveriesPerLink - self.discoveries.count)
        let rows = self.unknown.values.filter { self.discoveries[$0.tag] == nil }
            .sorted { $0.tag < $1.tag }.prefix(max(0, free))
        let isOnly = rows.count == 1 && self.discoveries.isEmpty
        return rows.map { ($0.tag, isOnly ? $0.seq : 1) }
    }

    mutating func beginDiscovery(_ fetch: Fetch, patience: UInt64) {
        self.discoveries[fetch.tag] = fetch
        self.patience = patience
    }

    /// A run answers the question for a log's first entries; what is left of it is a fetch.
    ///
    /// Who answers is not slow, however much it was asked for.
    mutating func finishDiscovery(_ tag: UInt64, patience: UInt64) -> Fetch? {
        guard let fetch = self.discoveries.removeValue(forKey: tag) else { return nil }
        self.unknown[tag] = nil
        self.patience = patience
        return fetch
    }

    /// Gives questions for first entries up; gives how many.
    mutating func dropDiscoveries(where isOver: (Fetch) -> Bool) -> Int {
        let over = self.discoveries.values.filter(isOver)
        for fetch in over {
            self.discoveries[fetch.tag] = nil
            self.unknown[fetch.tag] = nil
        }
        return over.count
    }

    // MARK: What the peer is sent

    /// Takes a run of an own log that was committed just now, as far as the peer may be pushed it.
    mutating func push(_ run: Run, hasCredit: Bool) -> Push {
        let name = run.key.name
        // A log that begins is nowhere yet.
        guard let fed = self.fed[name] ?? (run.first == 1 ? 0 : nil) else { return .none }
        let isNext = fed + 1 == run.first && hasCredit
        self.fed[name] = isNext ? run.last : fed
        return isNext ? .now : .later
    }

    /// Whether the peer is to be told of a log's head; `isTurn` says that all peers are told.
    ///
    /// The author learns from it that its entries have arrived; anybody else that has as much, or
    /// is being fed, learns nothing.
    func isNews(
        _ name: LogName, head: UInt64, number: UInt64, to peer: PeerID, isTurn: Bool
    ) -> Bool {
        guard self.newsTold < number else { return false }
        if name.author == peer { return !isTurn }
        return isTurn != self.taken.contains(name) && self.seq(of: name) < head
            && self.fed[name] == nil
    }
}
