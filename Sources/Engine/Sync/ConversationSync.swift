internal import Crypto
internal import Formats

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
        case none
        /// The peer has more, to be asked for once the author has had its time to push it.
        case fetch
        /// The peer has another history.
        case searchFork
        /// The peer may be pushed an own log from where it stands.
        case feed
    }

    /// Whether the peer does not know yet that the author has signed two histories.
    var lacksProof = false
    var step = Step.none
    /// Whether the peer had not said the same before.
    var isNews = true
}

/// One conversation on one link: what the peer has of it, was told of it and is sent of it.
///
/// `Docs/Protocol/Sync.md` sections 3 to 6: digests first, then clocks, then wants. It holds for as
/// long as both ends are in the conversation. Whom to ask for what is decided over all links, by
/// ``Fetching``.
struct ConversationSync: Sendable {
    // What was told and heard.
    var digests = DigestExchange()
    var pages = PageExchange()
    /// The number of the last news that the own complete clock has told.
    var newsTold: UInt64

    // The peer's clock.
    /// The logs that the link's tags mean, by their numbers.
    var names: [UInt64: UInt32]
    /// Its rows of logs whose names are known here, by their numbers.
    private var rows = PeerRows()
    /// Those of which the peer has more, or something else, by what it said last.
    private var unsettled = NumberSet()
    /// Those that show another history than is here: of this one the peer has nothing.
    private var divergent = NumberSet()
    /// The conversation's count of changes when the peer's digest last equalled the own one: logs that have not
    /// changed since are there as they are here.
    private var equalAt: UInt64?
    /// Its rows of logs not yet known here.
    var unknown = UnknownLogs()
    /// Logs of which the peer has more than this node, and when they may be asked for.
    private(set) var lacking: [UInt32: UInt64] = [:]

    // What the peer is sent.
    /// What it has asked for and was not sent yet.
    var owed = OwedAnswers()
    /// Own logs that the peer has, or was sent, up to here: new entries are pushed from there.
    var fed: [LogName: UInt64] = [:]
    /// Logs of others that the peer has asked for here: it is told at once when they grow.
    var taken = NumberSet()

    /// Logs of which the peer was not given a payload that it had asked for: it is told when it can be.
    var awaitsPayloads = NumberSet()

    init(names: [UInt64: UInt32] = [:], newsTold: UInt64) {
        self.names = names
        self.newsTold = newsTold
    }

    // Whoever asks gives the numbers of the conversation's logs.

    /// What the peer says of a log; nil where it says nothing.
    func row(of name: LogName, _ numbers: LogNumbers) -> ClockRow? {
        numbers.find(name).flatMap { self.rows[$0] }
    }

    /// How many entries of a log the peer says to have.
    func seq(of name: LogName, _ numbers: LogNumbers) -> UInt64 {
        numbers.find(name).map { self.seq(of: $0) } ?? 0
    }

    private func seq(of number: UInt32) -> UInt64 {
        self.divergent.contains(number) ? 0 : self.rows[number]?.seq ?? 0
    }

    /// Up to which entry of a log the peer says that it has all payloads, which it does where it says
    /// nothing.
    func whole(of name: LogName, _ numbers: LogNumbers) -> UInt64 {
        self.row(of: name, numbers)?.whole ?? .max
    }

    /// Through which entry of a log the peer says that it has all, payloads included.
    func stored(of name: LogName, _ numbers: LogNumbers) -> UInt64 {
        min(self.seq(of: name, numbers), self.whole(of: name, numbers))
    }

    /// Up to which entry of a log the peer says that it holds none, which it does where it says
    /// nothing.
    func shown(of name: LogName, _ numbers: LogNumbers) -> UInt64 {
        self.row(of: name, numbers)?.shown ?? .max
    }

    /// How many entries of a log the peer has, by what it told last; nil where it has told nothing.
    func told(of name: LogName, _ log: LogProgress, _ numbers: LogNumbers) -> UInt64? {
        if let equalAt, log.isCounted, log.change <= equalAt { return log.head.seq }
        if let number = numbers.find(name), self.rows[number] != nil { return self.seq(of: number) }
        return log.bucket.flatMap { self.pages.hasHeard(of: $0) ? 0 : nil }
    }

    /// Whether the peer says that it takes nothing of somebody's.
    func refuses(_ author: PeerID, _ numbers: LogNumbers) -> Bool {
        self.rows.refused.contains { numbers[$0]?.author == author }
    }

    /// Whether the peer says that it takes nothing at all, as who has not been let in does.
    var refusesAll: Bool {
        !self.rows.isEmpty && self.rows.refused.count == self.rows.count
    }

    /// Logs of which the peer has more than is here, or something else.
    func ahead(_ numbers: LogNumbers) -> Set<LogName> {
        Set((self.unsettled.members + self.lacking.keys).compactMap { numbers[$0] })
    }

    /// Whether the peer has what this node might ask it for.
    var isSeeking: Bool { !self.lacking.isEmpty || self.unknown.isSeeking }

    // MARK: Clocks

    /// Notes that the peer's digest of logs equals the own one.
    mutating func noteEqual(at change: UInt64) { self.equalAt = change }

    /// The peer has less of a log than is here: an earlier digest says nothing about it any longer.
    private mutating func noteLess(than log: LogProgress, seq: UInt64) {
        if let equalAt, seq < log.head.seq, log.change <= equalAt { self.equalAt = nil }
    }

    /// Notes that the peer has an own log to its end, so that new entries may be pushed; false where it has
    /// said so before.
    mutating func noteEqual(_ name: LogName, _ number: UInt32, _ row: ClockRow) -> Bool {
        self.fed[name] = row.seq
        var row = row
        // Digests are the same with and without payloads, and whatever is held.
        let earlier = self.rows[number]
        (row.whole, row.shown) = (earlier?.whole, earlier?.shown)
        let isNews = self.rows.update(row, of: number)
        self.settle(number)
        return self.divergent.remove(number) || isNews
    }

    /// Takes a row of a log that is known here, and compares it with what is here.
    ///
    /// - Parameter limit: the last entry of the log that is taken.
    mutating func receiveRow(
        _ row: ClockRow, of name: LogName, _ number: UInt32, _ log: LogProgress, _ tags: LinkTags,
        isOwn: Bool, isComplete: Bool, limit: UInt64 = .max
    ) -> RowFinding {
        var finding = RowFinding()
        let row = Self.unproven(row)
        finding.isNews = self.rows.update(row, of: number)
        self.noteLess(than: log, seq: row.seq)
        self.settle(number)
        self.divergent.remove(number)
        if log.forkPoint != nil {
            finding.lacksProof = row.state != .forked || row.seq > log.head.seq
            if row.state != .forked { return finding }
        }
        if row.state == .refused {
            self.fed[name] = nil
            return finding
        }
        if log.isRefused { return finding }
        if self.isOther(row, log, tags) {
            finding.step = .searchFork
        } else if min(row.seq, limit) > log.tail.seq && !log.isBeyondFork(log.tail.seq + 1) {
            finding.step = .fetch
        } else if isOwn && !isComplete {
            finding.step = .feed
        }
        if finding.step == .searchFork || finding.step == .fetch { self.unsettled.insert(number) }
        if finding.step == .searchFork { self.divergent.insert(number) }
        return finding
    }

    /// A row as it came: 0 stands for an end that a run has shown, so that who claims one without its tag
    /// has shown nothing.
    private static func unproven(_ row: ClockRow) -> ClockRow {
        guard row.seq > 0, row.headTag == 0 else { return row }
        var row = row
        row.headTag = .max
        return row
    }

    /// Whether a row shows another entry at the own head; one that was made of a run shows none.
    private func isOther(_ row: ClockRow, _ log: LogProgress, _ tags: LinkTags) -> Bool {
        row.seq == log.head.seq && row.seq > 0 && row.headTag != 0
            && row.headTag != tags.head(log.head.id, by: tags.peer)
    }

    /// Takes from what the peer has told what differed and may be asked for again, in order.
    mutating func takeUnsettled(_ numbers: LogNumbers) -> [(name: LogName, row: ClockRow)] {
        defer { self.unsettled = NumberSet() }
        var found: [(name: LogName, row: ClockRow)] = []
        for number in self.unsettled.members {
            guard let name = numbers[number], let row = self.rows[number] else { continue }
            found.append((name, row))
        }
        return found.sorted { $0.name < $1.name }
    }

    /// A page has come: settles from where an own log is pushed.
    mutating func settleFeed(_ name: LogName, head: UInt64, _ numbers: LogNumbers) {
        let seq = self.seq(of: name, numbers)
        // What is on its way since the peer wrote its clock counts, too.
        if let fed = self.fed[name] {
            self.fed[name] = max(fed, seq)
        } else if seq == head {
            self.fed[name] = seq
        }
    }

    /// A page has come without a log, so the peer has nothing of it.
    ///
    /// False where it had told nothing.
    mutating func dropRow(_ name: LogName, _ log: LogProgress, _ numbers: LogNumbers) -> Bool {
        self.noteLess(than: log, seq: 0)
        guard let number = numbers.find(name) else { return false }
        self.settle(number)
        self.divergent.remove(number)
        return self.rows.remove(number)
    }

    /// A run shows that the peer has more than its clock said.
    mutating func noteMore(_ number: UInt32, seq: UInt64) {
        guard self.seq(of: number) < seq else { return }
        self.rows.update(ClockRow(tag: 0, state: .open, seq: seq, headTag: 0), of: number)
    }

    /// Learns which log a tag means; gives how many entries the peer has of it, where it has told.
    mutating func learnName(_ number: UInt32, tag: UInt64) -> UInt64? {
        self.names[tag] = number
        guard let row = self.unknown.drop(tag) else { return nil }
        self.rows.update(Self.unproven(row), of: number)
        return row.seq
    }

    /// A log is gone here, and not wanted: what the peer has of it stays known.
    mutating func drop(_ name: LogName, _ numbers: LogNumbers) {
        self.fed[name] = nil
        guard let number = numbers.find(name) else { return }
        self.settle(number)
        self.divergent.remove(number)
        self.taken.remove(number)
        self.awaitsPayloads.remove(number)
    }

    /// Of a log nothing is remembered, not even its name.
    mutating func forget(_ name: LogName, tag: UInt64, _ numbers: LogNumbers) {
        self.drop(name, numbers)
        self.names[tag] = nil
        if let number = numbers.find(name) { self.rows.remove(number) }
    }

    // MARK: What is lacking

    /// The logs that the peer has more of and whose time to be asked has come, of those that are kept here;
    /// those of which nothing is lacking any longer are settled.
    mutating func takeable(in conversation: Conversation, at now: UInt64) -> [LogName] {
        guard !self.lacking.isEmpty else { return [] }
        var found: [LogName] = []
        for (number, notBefore) in self.lacking {
            guard let name = conversation.numbers[number] else { continue }
            let log = conversation.log(name)
            let has = min(self.seq(of: number), conversation.askedThrough(name))
            if has <= conversation.end(of: name) || log.isBeyondFork(log.tail.seq + 1) {
                self.settle(number)
            } else if notBefore <= now {
                found.append(name)
            }
        }
        return found
    }

    /// Notes that the peer has more of a log, which may be asked for from a moment on.
    mutating func lack(_ number: UInt32, from moment: UInt64) {
        self.lacking[number] = moment
        self.unsettled.insert(number)
    }

    /// Notes that nothing more of a log is to be asked for.
    private mutating func settle(_ number: UInt32) {
        self.giveUp(number)
        self.unsettled.remove(number)
    }

    /// The peer does not serve what it has told of; it is asked again when it tells of it, or of a
    /// digest, again.
    mutating func giveUp(_ number: UInt32) {
        self.lacking[number] = nil
        // It keeps its room, which a newcomer would have for all logs on each of a hundred links.
        if self.lacking.isEmpty, self.lacking.capacity > 0 { self.lacking = [:] }
    }

    // MARK: Bounds

    /// What the peer has had this node remember of logs that are here, in bytes, beside what each log has anyway.
    var rememberedBytes: Int {
        self.rows.specialCount * Limits.specialRowBytes + self.lacking.count
            * Limits.lackingLogBytes
    }

    /// Forgets that, but for what is said of own logs: what the peer has more is asked for once a digest has come that
    /// differs.
    mutating func forgetRemembered(but isOwn: (UInt32) -> Bool) {
        self.lacking = [:]
        self.rows.forgetSpecials(but: isOwn)
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
        _ name: LogName, head: UInt64, number: UInt64, to peer: PeerID, isTurn: Bool,
        _ numbers: LogNumbers
    ) -> Bool {
        guard self.newsTold < number else { return false }
        if name.author == peer { return !isTurn }
        guard let log = numbers.find(name) else {
            return isTurn && head > 0 && self.fed[name] == nil
        }
        guard isTurn != self.taken.contains(log), self.fed[name] == nil else { return false }
        return self.seq(of: log) < head && self.rows[log]?.state != .refused
    }
}
