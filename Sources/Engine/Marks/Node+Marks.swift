internal import Formats

/// What members have of own logs and have read of them, and what they are told of the user.
///
/// `Docs/Protocol/Sync.md` section 10.
extension Node {
    /// Says at the start what was read before it: it may be that nobody was told.
    mutating func startMarks() {
        for conversation in self.receipts.marks.readConversations {
            self.receipts.marks.noteRead([:], in: conversation, at: self.now.monotonic)
        }
        self.armMarks()
    }

    /// What was gathered is written, and others are told what is due.
    mutating func marksDue() {
        self.receipts.marks.woke()
        if self.receipts.marks.isGathered(at: self.now.monotonic) {
            for record in self.receipts.marks.takeArrived(at: self.now.monotonic) {
                self.takeMark(record)
                self.takeOwnMark(record)
                self.disk.commits.records.add(record)
            }
            self.disk.commits.add(self.receipts.marks.takeUnsaved())
        }
        let due = self.receipts.marks.takeDue(at: self.now.monotonic)
        for (conversation, isRead) in due { self.tellMark(of: conversation, isRead: isRead) }
        if due.contains(where: \.isRead) { self.tellOwnReads() }
        self.armMarks()
    }

    mutating func armMarks() {
        guard let moment = self.receipts.marks.nextWakeUp() else { return }
        self.actions.append(.arm(.marks, at: moment))
    }

    // MARK: What members have

    /// A peer has told how much of an own log it has.
    mutating func notePosition(of key: LogKey, on id: LinkID) {
        let peer = self.links[id].info.peer
        let numbers = self.conversations.table[known: key.conversation].numbers
        let shown = self.links[id].shared[known: key.conversation].shown(of: key.name, numbers)
        let told = self.links[id].shared[known: key.conversation].stored(of: key.name, numbers)
        guard min(told, shown) > self.receipts.marks.position(of: peer, in: key).stored else {
            return
        }
        let position = MemberPosition(stored: min(self.stored(key, on: id), shown))
        guard position.stored > 0 else { return }
        self.note(position, of: peer, in: key)
    }

    private mutating func note(_ position: MemberPosition, of peer: PeerID, in key: LogKey) {
        let isNews = self.receipts.marks.note(
            position, of: peer, isKnown: self.tier(of: peer) >= .known, in: key,
            at: self.now.monotonic)
        guard isNews else { return }
        self.armMarks()
        self.lookAtStreams(in: key.conversation)
    }

    /// Whether a record that has come may be looked at now: of marks each member has a few a minute.
    ///
    /// Where there are many members, those of some count alone; but of whom the user knows they are taken always, and so
    /// is that of who is linked, since others may know them. What is left out is there still with the next digest.
    func isTimely(_ record: Record, on id: LinkID? = nil) -> Bool {
        guard record.kind == Record.Kind.mark, let conversation = record.conversation else {
            return true
        }
        guard self.conversations.table.has(conversation) else { return false }
        let isKnown = self.tier(of: record.author) >= .known
        return
            (isKnown || id.map { record.author == self.links[$0].info.peer } ?? false
            || self.conversations.table[known: conversation].countsMark(of: record.author))
            && self.receipts.marks.isTimely(record.key, isKnown: isKnown, at: self.now.monotonic)
    }

    /// A mark of somebody has come: it is written with others, and then passed on.
    mutating func markReceived(_ record: Record) {
        self.receipts.marks.keep(record, at: self.now.monotonic)
        self.armMarks()
    }

    /// Takes a mark that came before its key did.
    mutating func takeMark(of member: PeerID, in conversation: ConversationID) {
        let key = RecordKey(author: member, conversation: conversation, kind: Record.Kind.mark)
        if let record = self.persons.profiles.record(key) { self.takeMark(record) }
    }

    /// Takes from a mark how far its author has own logs.
    ///
    /// It speaks of its author alone; and what it says to have it must show, as far as the own ids are
    /// still at hand.
    private mutating func takeMark(_ record: Record) {
        guard let conversation = record.conversation, self.conversations.table.has(conversation),
            let mark = Mark(record, by: self.keyring)
        else { return }
        let own = self.conversations.table[known: conversation].logs.filter {
            $0.key.author == self.id
        }
        for (name, log) in own.sorted(by: { $0.key < $1.key }) {
            let key = LogKey(conversation: conversation, name: name)
            let tag = Mark.tag(of: key)
            guard let row = mark.rows.first(where: { $0.tag == tag }),
                self.isShown(row, of: key, log)
            else { continue }
            self.note(
                MemberPosition(stored: row.stored, read: min(row.read, row.stored)),
                of: record.author, in: key)
            self.checkDeliveries(of: key)
        }
    }

    /// Whether what a row says to have of an own log is of that log, as far as can be told.
    private func isShown(_ row: Mark.Row, of key: LogKey, _ log: LogProgress) -> Bool {
        #if MUTANTS
            if Mutant.believeMarks.isActive { return true }
        #endif
        guard row.stored <= log.head.seq else { return false }
        let id =
            row.stored == log.head.seq
            ? log.head.id : self.receipts.waits.ownIDs.id(of: row.stored, in: key)
        guard let id, row.headTag != 0 else { return true }
        return row.headTag == Mark.tag(of: id)
    }

    /// The links on which a mark of somebody that is on disk is passed on: to those with whom its author
    /// is not linked.
    func passedOn(_ record: Record) -> [LinkID] {
        guard let conversation = record.conversation, let mark = Mark(record, by: self.keyring),
            !mark.passOn.isEmpty
        else { return [] }
        return self.links.sharing(conversation).filter { link in
            mark.passOn.contains(Mark.tag(of: self.links[link].info.peer, in: conversation))
        }
    }

    // MARK: What others are told

    /// The store has noted what the user has read.
    mutating func settleReads(_ reads: [ConversationID: [LogName: UInt64]]) {
        for (conversation, logs) in reads where !logs.isEmpty {
            self.receipts.marks.noteRead(logs, in: conversation, at: self.now.monotonic)
        }
        if !reads.isEmpty { self.armMarks() }
    }

    /// Something of others has come.
    mutating func noteStored(in conversation: ConversationID) {
        self.receipts.marks.noteStored(in: conversation, at: self.now.monotonic)
        self.armMarks()
    }

    /// Says what is here of a conversation and was read of it, where anybody may learn from it.
    private mutating func tellMark(of id: ConversationID, isRead: Bool) {
        // In the notes a mark tells of all conversations.
        guard self.conversations.table.has(id), self.conversations.table[known: id].isJoined,
            id != self.notesID
        else { return }
        let members = self.audience(of: id)
        guard !members.isEmpty else { return }
        let linked = Set(self.links.sharing(id).map { self.links[$0].info.peer })
        let unlinked = members.filter { !linked.contains($0) && !self.isLongAway($0, in: id) }
            .prefix(Limits.markMembers)
        let tellsReads = self.own.configuration.preferences.tellsReads
        guard isRead && tellsReads || !unlinked.isEmpty else { return }
        let mark = Mark(
            rows: self.markRows(of: id, tellsReads: tellsReads),
            passOn: unlinked.map { Mark.tag(of: $0, in: id) })
        let key = RecordKey(author: self.id, conversation: id, kind: Record.Kind.mark)
        self.write(mark, key, in: id)
    }

    /// Says so, where it is not said already.
    mutating func write(_ mark: Mark, _ key: RecordKey, in id: ConversationID) {
        let standing = self.record(key)
        // Who is linked comes and goes; that alone tells nobody anything.
        if let standing, Mark(standing, by: self.keyring)?.rows == mark.rows { return }
        var time = HybridTime(wallMilliseconds: self.clocks.own.now)
        if let next = standing?.time.next, !self.clocks.own.isAhead(next) { time = max(time, next) }
        let record = mark.record(
            in: id, at: time, by: self.own.signer, self.keyring, using: &self.random)
        if let record { self.disk.commits.records.add(record) }
    }

    /// The other members who are told what is here, those first whom the user knows: all where they are few, else whom
    /// the user knows and, where these are few, who has written.
    private func audience(of id: ConversationID) -> [PeerID] {
        let conversation = self.conversations.table[known: id]
        let others = conversation.members.filter { $0 != self.id }
        let tiers = self.tiers(of: others)
        let known = others.filter { tiers[$0, default: .stranger] >= .known }
        return known
            + others.filter {
                tiers[$0, default: .stranger] < .known && conversation.countsMark(of: $0)
            }
    }

    /// How far the logs of others are here and were read, those that were written last.
    private func markRows(of id: ConversationID, tellsReads: Bool) -> [Mark.Row] {
        #if MUTANTS
            let tellsReads = tellsReads || Mutant.tellPrivateReads.isActive
        #endif
        let reads = tellsReads ? self.receipts.marks.reads(in: id) : [:]
        let logs = self.conversations.table[known: id].logs.filter {
            $0.key.author != self.id && $0.value.head.seq > 0
        }
        let latest = logs.sorted { ($1.value.head.time, $0.key) < ($0.value.head.time, $1.key) }
        return latest.prefix(Limits.markRows).map { name, log in
            let held = log.held.map { $0.lowerBound - 1 } ?? log.head.seq
            let stored = min(log.head.seq, log.whole ?? log.head.seq, held)
            return Mark.Row(
                tag: Mark.tag(of: LogKey(conversation: id, name: name)), stored: stored,
                read: min(reads[name] ?? 0, stored),
                headTag: stored == log.head.seq ? Mark.tag(of: log.head.id) : 0)
        }
    }

    /// Whether nothing was heard of a member for so long that nobody waits for it.
    func isLongAway(_ peer: PeerID, in conversation: ConversationID) -> Bool {
        guard self.links.id(of: peer) == nil else { return false }
        let known = self.dialling.known[peer]?.lastSeen
        let told = self.lastSaid(by: peer, in: conversation)
        guard let last = [known, told].compactMap(\.self).max() else { return false }
        return last + Limits.awayMilliseconds < self.now.wall
    }

    /// Whether a member has said something after it was linked last, which has come through others.
    func isHeardThroughOthers(_ peer: PeerID, in conversation: ConversationID) -> Bool {
        guard self.links.id(of: peer) == nil,
            let said = self.lastSaid(by: peer, in: conversation)
        else { return false }
        return said > self.dialling.known[peer]?.lastSeen ?? 0
    }

    /// When a member last joined, wrote, or said what it has.
    private func lastSaid(by peer: PeerID, in conversation: ConversationID) -> UInt64? {
        let joined = self.conversations.table[known: conversation].attendance[peer]?.time
            .milliseconds
        let mark = RecordKey(author: peer, conversation: conversation, kind: Record.Kind.mark)
        let marked = self.persons.profiles.record(mark)?.time.milliseconds
        let written = self.conversations.table[known: conversation].names(of: peer)
            .map { self.conversations.table[known: conversation].log($0).head.time.milliseconds }
            .max()
        return [joined, marked, written].compactMap(\.self).max()
    }
}
