/// Logs whose committed heads have moved, numbered as they did, until all peers had their turn.
struct News: Sendable {
    /// The number of the last move.
    private(set) var last: UInt64 = 0
    private var numbers: [LogKey: UInt64] = [:]
    private var fresh: Set<LogKey> = []

    var isEmpty: Bool { self.numbers.isEmpty }

    mutating func note(_ key: LogKey) {
        self.last += 1
        self.numbers[key] = self.last
        self.fresh.insert(key)
    }

    func number(of key: LogKey) -> UInt64 { self.numbers[key] ?? 0 }

    /// What has moved since this was asked last.
    mutating func takeFresh() -> [LogKey] {
        defer { self.fresh = [] }
        return self.fresh.sorted()
    }

    /// What has moved after a number.
    func since(_ number: UInt64) -> [LogKey] {
        self.numbers.filter { $0.value > number }.keys.sorted()
    }

    /// Forgets what everybody had a turn for.
    mutating func drop(through number: UInt64) {
        if number >= self.last {
            self.numbers = [:]
        } else {
            self.numbers = self.numbers.filter { $0.value > number }
        }
    }
}

/// Telling peers what has become committed here. `Docs/Protocol/Sync.md` section 3.
///
/// Authors, and peers that have asked for a log here, are told at the next tick: deliveries and
/// relays wait for it. All others most likely have been pushed the same by the author; they are
/// told in turns, a few at each tick, so that what a node spends on this does not grow with the
/// number of its links. Where one says meanwhile that it has as much, it is told nothing.
extension Node {
    /// Notes that a log's committed head has moved.
    mutating func markDirty(_ key: LogKey) {
        guard !self.links(sharing: key.conversation).isEmpty else { return }
        self.news.note(key)
        self.armDelta()
    }

    private mutating func armDelta() {
        guard !self.isDeltaArmed else { return }
        self.isDeltaArmed = true
        self.actions.append(.arm(.delta, at: self.now.monotonic + Limits.deltaMilliseconds))
    }

    mutating func sendDeltas() {
        self.isDeltaArmed = false
        var concerned: [LinkID: [LogKey]] = [:]
        for key in self.news.takeFresh() {
            for id in self.links(sharing: key.conversation) {
                concerned[id, default: []].append(key)
            }
        }
        for (id, keys) in concerned.sorted(by: { $0.key < $1.key }) {
            _ = self.tell(keys, on: id, isTurn: false)
        }
        self.takeTurns()
        if !self.news.isEmpty { self.armDelta() }
    }

    /// Tells those that have waited longest, in an order that differs from node to node: then one
    /// of many that have the same is soon the first to tell it.
    private mutating func takeTurns() {
        let turns = self.links.values.map { (told: $0.newsTold, order: $0.order, id: $0.id) }
        var told = 0
        var oldest = self.news.last
        for turn in turns.sorted(by: <) where turn.told < self.news.last {
            guard told < Limits.deltaPeers(ofLinks: turns.count) else {
                oldest = turn.told
                break
            }
            if self.tell(self.news.since(turn.told), on: turn.id, isTurn: true) { told += 1 }
            self.links[turn.id]?.newsTold = self.news.last
        }
        self.news.drop(through: oldest)
    }

    /// Sends the rows of these logs that are news to a peer; false when there are none.
    private mutating func tell(_ keys: [LogKey], on id: LinkID, isTurn: Bool) -> Bool {
        guard let link = self.links[id] else { return false }
        var rows: [ConversationID: [ClockRow]] = [:]
        for key in keys {
            guard let log = self.conversationTable[key.conversation]?.log(key.name),
                let shared = link.shared[key.conversation],
                shared.isNews(
                    key.name, head: log.head.seq, number: self.news.number(of: key),
                    to: link.info.peer, isTurn: isTurn)
            else { continue }
            let row = link.row(key.name, log, in: key.conversation)
            rows[key.conversation, default: []].append(row)
        }
        for (room, rows) in rows.sorted(by: { $0.key < $1.key }) {
            self.send(
                .clock(room, isComplete: false, rows.sorted { $0.tag < $1.tag }), on: id)
        }
        return !rows.isEmpty
    }
}
