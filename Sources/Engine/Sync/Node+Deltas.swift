internal import Formats

/// Telling peers what has become committed here. `Docs/Protocol/Sync.md` section 4.
///
/// Authors, and peers that have asked for a log here, are told at the next tick: deliveries and
/// relays wait for it. All others most likely have been pushed the same by the author; they are
/// told in turns, a few at each tick, so that what a node spends on this does not grow with the
/// number of its links. Where one says meanwhile that it has as much, it is told nothing.
extension Node {
    /// Notes that a log's committed head has moved.
    mutating func markDirty(_ key: LogKey) {
        guard !self.links.sharing(key.conversation).isEmpty else { return }
        self.catchUp.news.note(key)
        self.armDelta()
    }

    private mutating func armDelta() {
        guard self.catchUp.news.arm() else { return }
        self.actions.append(.arm(.delta, at: self.now.monotonic + Limits.deltaMilliseconds))
    }

    mutating func deltaDue() {
        self.catchUp.news.wokenUp()
        self.tellFresh()
        self.takeTurns()
        self.armDelta()
    }

    /// Tells the authors, and those who have asked here for the logs.
    private mutating func tellFresh() {
        var concerned: [LinkID: [LogKey]] = [:]
        for key in self.catchUp.news.takeFresh() where !self.links.sharing(key.conversation).isEmpty
        {
            let number = self.conversations.table[known: key.conversation].numbers.find(key.name)
            let author = self.links.id(of: key.name.author)
            self.links.visit(key.conversation) { id, sync in
                let isConcerned = id == author || number.map(sync.taken.contains) ?? false
                if isConcerned { concerned[id, default: []].append(key) }
            }
        }
        for (id, keys) in concerned.sorted(by: { $0.key < $1.key }) {
            _ = self.tell(keys, on: id, isTurn: false)
        }
    }

    /// Tells those that have waited longest, in an order that differs from node to node: then one
    /// of many that have the same is soon the first to tell it.
    ///
    /// Strangers can have very much move, so it is looked at in portions.
    private mutating func takeTurns() {
        let turns = self.links.turns
        var (told, left) = (0, Limits.deltaSteps)
        var oldest = self.catchUp.news.last
        for turn in turns.sorted(by: <) where turn.told < self.catchUp.news.last {
            guard told < Limits.deltaPeers(ofLinks: turns.count), left > 0 else {
                oldest = min(oldest, turn.told)
                break
            }
            let (keys, through) = self.catchUp.news.since(turn.told, atMost: left)
            left -= keys.count
            if self.tell(keys, on: turn.id, isTurn: true) { told += 1 }
            self.links[turn.id].newsTold = through
            oldest = min(oldest, through)
        }
        self.catchUp.news.drop(through: oldest)
    }

    /// Sends the rows of these logs that are news to a peer; false when there are none.
    private mutating func tell(_ keys: [LogKey], on id: LinkID, isTurn: Bool) -> Bool {
        let (peer, tags) = (self.links[id].info.peer, self.links[id].tags)
        var rows: [ConversationID: [ClockRow]] = [:]
        for key in keys where self.links.isShared(key.conversation, on: id) {
            let log = self.conversations.table[known: key.conversation].log(key.name)
            let numbers = self.conversations.table[known: key.conversation].numbers
            let isNews = self.links[id].shared[known: key.conversation].isNews(
                key.name, head: log.head.seq, number: self.catchUp.news.number(of: key), to: peer,
                isTurn: isTurn, numbers)
            guard isNews else { continue }
            let row = tags.row(key.name, log, in: key.conversation, by: tags.own)
            rows[key.conversation, default: []].append(row)
        }
        for (conversation, rows) in rows.sorted(by: { $0.key < $1.key }) {
            let sorted = rows.sorted { $0.tag < $1.tag }
            self.send(.delta(conversation, sorted), on: id)
        }
        return !rows.isEmpty
    }
}
