internal import Crypto
internal import Formats

/// Entries that are ahead of time: others' that are held here, and own ones that others hold.
extension Node {
    // MARK: Here

    /// Notes which entries of a run are held, so that clocks say so.
    mutating func noteHeld(_ append: Append, cursors: [Cursor?]) {
        guard append.heldFrom < cursors.count else { return }
        let run = append.run.run
        let first = run.first + UInt64(append.heldFrom)
        self.conversations.table[known: run.key.conversation].hold(run.key.name, first...run.last)
    }

    /// Entries that were held are shown: their authors and whoever asks are told.
    mutating func noteReleased(_ entry: StoredEntry) {
        self.conversations.table[known: entry.key.conversation]
            .release(entry.key.name, through: entry.seq)
        self.markDirty(entry.key)
    }

    /// Tells a peer of which of its own entries the payloads are wanted here, or which are held, since
    /// a digest that is equal would say that nothing is lacking.
    mutating func tellAuthor(of conversation: ConversationID, on id: LinkID) {
        guard !self.catchUp.payloadWants.isEmpty || self.disk.held.count > 0 else { return }
        let (tags, peer) = (self.links[id].tags, self.links[id].info.peer)
        let rows = self.conversations.table[known: conversation].logs
            .filter { name, log in
                name.author == peer && (log.whole != nil || log.held != nil)
            }
            .map { name, log in tags.row(name, log, in: conversation, by: tags.own) }
            .sorted { $0.tag < $1.tag }.prefix(Limits.logsPerConversation)
        if !rows.isEmpty { self.send(.delta(conversation, Array(rows)), on: id) }
    }

    // MARK: Elsewhere

    /// A peer has told how much of an own log it has.
    mutating func ownRowReceived(_ row: ClockRow, of key: LogKey, on id: LinkID) {
        // Nobody holds what there is not.
        let head = self.conversations.table[known: key.conversation].log(key.name).head.seq
        if row.seq <= head, self.receipts.held.receive(row, of: key, on: id) {
            self.updateHeldAlert()
        }
        if key.name == self.ownLog,
            self.receipts.refused.receive(row.state == .refused, key.conversation, on: id)
        {
            self.updateRefusedAlert()
        }
        self.notePosition(of: key, on: id)
        self.checkDeliveries(of: key)
    }

    /// A link shares a conversation no longer, or none where `conversation` is nil.
    mutating func dropHeldElsewhere(_ conversation: ConversationID?, of id: LinkID) {
        let isNews = self.receipts.held.drop(id) { key in
            conversation.map { $0 == key.conversation } ?? true
        }
        if isNews { self.updateHeldAlert() }
        if self.receipts.refused.drop(conversation, of: id) { self.updateRefusedAlert() }
    }

    /// Tells the user what others do not see yet, and until when, where at least half of the people do
    /// not with whom it is shared: one stranger alone raises no alarm.
    private mutating func updateHeldAlert() {
        if let text = self.heldWarning(inLog: false), let logged = self.heldWarning(inLog: true) {
            self.raiseAlert(.held, text, logged: logged)
        } else {
            self.alerts.clear(.held, at: self.now)
        }
    }

    /// Whether at least half of some linked people do something; where the user knows any of them, of those,
    /// since keys cost nothing.
    func isMost(_ some: Set<PersonID>, of all: Set<PersonID>) -> Bool {
        let known = Set(
            self.links.all.map(\.info).filter {
                all.contains($0.certificate.personID) && self.tier(of: $0.peer) >= .known
            }.map(\.certificate.personID))
        let (some, all) = known.isEmpty ? (some, all) : (some.intersection(known), known)
        return !some.isEmpty && 2 * some.count >= all.count
    }

    private func heldWarning(inLog: Bool) -> String? {
        var holders: Set<PersonID> = []
        var others: Set<PersonID> = []
        var counts: [LogKey: UInt64] = [:]
        for id in self.receipts.held.links {
            holders.insert(self.links[id].info.certificate.personID)
            for (key, seqs) in self.receipts.held.entries(on: id) {
                let count = seqs.upperBound - seqs.lowerBound + 1
                counts[key] = max(counts[key] ?? 0, count)
            }
        }
        for conversation in Set(counts.keys.map(\.conversation)) {
            for id in self.links.sharing(conversation) {
                others.insert(self.links[id].info.certificate.personID)
            }
        }
        guard self.isMost(holders, of: others.union(holders)) else { return nil }
        let total = counts.values.reduce(UInt64(0)) { $0.addingReportingOverflow($1).partialValue }
        let what = total == 1 ? "your last entry" : "your last \(total) entries"
        let names = self.names(of: Set(counts.keys.map(\.conversation)).sorted(), inLog: inLog)
        let until = counts.keys.map { key -> UInt64 in
            Self.due(self.conversations.table[known: key.conversation].log(key.name).head.time)
        }.max()
        let who = holders.count == 1 ? "one person holds" : "\(holders.count) people hold"
        let ahead = self.ahead(of: self.receipts.held.links)
        let why = ahead.map { "; this machine's clock is \($0) ahead of theirs" } ?? ""
        let which =
            self.clocks.peers.areBehind(at: self.now)
            ? "set it right" : "correct the one that is wrong, here or there"
        return "\(what) in \(names) \(total == 1 ? "is" : "are") visible to others only from "
            + "\(UTCTime.text(until ?? 0)) on: \(who) them\(why); \(which) "
            + "(timedatectl set-ntp true) and write again"
    }

    /// The moment from which an entry of a time is not ahead, in milliseconds.
    static func due(_ time: HybridTime) -> UInt64 {
        time.milliseconds - min(time.milliseconds, Limits.aheadMilliseconds)
    }

    /// How far the own clock is ahead of the nearest of these peers', in words; nil where that is no
    /// minute.
    func ahead(of links: [LinkID]) -> String? {
        let offsets = links.compactMap { self.links[$0].pulse.clockOffset(at: self.now) }
        guard let nearest = offsets.max(), nearest < 0,
            nearest.magnitude >= Limits.differenceMilliseconds
        else { return nil }
        return PeerClocks.text(nearest.magnitude)
    }
}
