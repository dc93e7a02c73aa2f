internal import Crypto
internal import Formats

/// One conversation, as far as a node keeps it in memory: logs and heads, never entries.
struct Conversation: Sendable {
    /// What there is here of one author.
    private struct AuthorLogs {
        var count = 0
        /// From where the first log came.
        var source: Source?
    }

    /// Of how many members marks are told.
    enum MarkScope {
        case members
        /// Of those alone who have written, since there are more members than marks are for.
        case writers
        /// Of nobody but whom one knows.
        case nobody
    }

    /// A log of an opening and a join says nothing yet.
    private static let silentEntries: UInt64 = 2

    let id: ConversationID
    let kind: ConversationKind
    private(set) var isJoined: Bool
    /// Whether somebody has begun it whom the user has not let in: nothing of it is kept.
    private(set) var isRequest = false
    /// What was sent there meanwhile, in bytes.
    private var requestBytes = 0
    /// Whether the user has left and no other member is known to have been told.
    private(set) var isDeparting = false
    private(set) var logs = Table<LogName, LogProgress>()
    private var buckets = LogBuckets()
    /// Logs for which there was no room when they came.
    private(set) var refused = RefusedLogs()
    /// The authors of logs that count, ascending.
    private(set) var authors: [PeerID] = []
    /// What there is of each author.
    private var authorLogs: [PeerID: AuthorLogs] = [:]
    /// Logs that came later have greater numbers; and how often the head of a log has moved since the start.
    private var counts = (lastNumber: Int64(0), changes: UInt64(0))
    /// Logs that later ones of their authors have closed, and that are not here.
    private var closedElsewhere: Set<LogName> = []
    /// Whose logs may give way, where there is no room.
    var crowd: LogCrowd?
    /// Of logs whose names links know.
    var numbers = LogNumbers()
    /// What the next own entry follows.
    var heads = Heads()
    private(set) var attendance: [PeerID: Attendance] = [:]
    /// How many members there are, and how many of them have written.
    private var present: (all: Int, writers: Int) = (0, 0)
    /// Who has done more here than to come and go.
    private var writers: Set<PeerID> = []
    /// Whose marks are written, taken and counted, whoever is known.
    private(set) var markScope = MarkScope.members
    var latestShown = HybridTime(0)
    /// How much of what is said in it is kept.
    var retention = Retention()
    /// What the user has said of it in their list.
    var arrangement: Arrangement = []
    /// The digest of records, the newest one in it in milliseconds, and when it was made; and whether records have
    /// changed since.
    private var recordCache:
        (made: (digest: Bytes32, newest: UInt64, madeAt: UInt64)?, isOld: Bool) = (nil, false)
    /// What is kept of it because its keys come and go; nil where it has one key, or none.
    var group: GroupLogs?

    init(_ kind: ConversationKind, isJoined: Bool, isRequest: Bool = false) {
        self.id = kind.id
        self.kind = kind
        self.isJoined = isJoined
        self.isRequest = isRequest
        if kind.group != nil || kind.direct != nil { self.group = GroupLogs() }
    }

    /// The realm to whose nodes it is told; nil where two people may meet in any.
    var realm: RealmID? { self.kind.realm }
    /// Whether a node in these realms can meet others who are in it.
    func isReachable(in realms: Realms) -> Bool {
        guard let realm = self.realm else { return true }
        return realms.contains(realm)
    }

    /// Whether it belongs to one of some realms.
    func belongs(to realms: Set<RealmID>) -> Bool {
        guard let realm = self.realm else { return false }
        return realms.contains(realm)
    }

    /// Whether only who has had the secret of a realm could write there.
    var isOfFellows: Bool {
        guard let realm = self.realm else { return false }
        return realm != .open
    }
    /// Its name, by which peers of its realm announce it; nil where it is no open room.
    var name: RoomName? { self.kind.room?.name }
    /// The open room that it is; nil where it is none.
    var room: Room? { self.kind.room }

    /// The conversations that a store has kept.
    static func restored(
        from snapshot: Snapshot, own: PeerID
    ) -> [ConversationID: Conversation] {
        var conversations: [ConversationID: Conversation] = [:]
        for (id, membership) in snapshot.conversations {
            var conversation = Conversation(membership.kind, isJoined: membership.isJoined)
            conversation.latestShown = snapshot.latestShown[id] ?? HybridTime(0)
            conversation.arrangement = snapshot.arrangements[id] ?? []
            conversation.retention = snapshot.retentions[id] ?? Retention()
            for (author, attendance) in snapshot.attendance[id] ?? [:] {
                conversation.set(attendance, of: author)
            }
            // Whether the others were told before the last stop is not known.
            if !membership.isJoined { conversation.leave(own: own) }
            conversations[id] = conversation
        }
        for (key, log) in snapshot.logs {
            conversations[key.conversation]?
                .restore(key.name, log, snapshot.charges[key] ?? LogCharge())
        }
        return conversations
    }

    /// Whether it is shared with peers that are in it, though nothing of theirs is taken after a leave.
    var isShared: Bool { self.isJoined || self.isDeparting || self.isRequest }

    /// Whether nothing of it was ever on disk.
    var isUnbegun: Bool { !self.isShared && self.logs.values.allSatisfy { $0.head.seq == 0 } }

    /// Whether rows say that logs are refused, and no log is asked for.
    var refusesLogs: Bool { self.isJoined || self.isRequest }

    /// Takes note of bytes that somebody sends who is not let in; true once they are too many.
    mutating func takeForRequest(_ bytes: Int) -> Bool {
        self.requestBytes += bytes
        return self.requestBytes > Limits.requestIntakeBytes
    }

    /// Somebody shows it whom the user has not let in, or has forgotten since.
    mutating func beginRequest() { self.isRequest = true }

    /// Stops refusing what somebody wrote, since they are let in or gone.
    mutating func endRequest() {
        self.isRequest = false
        self.askAnew()
    }

    /// What was refused is so no longer, as if nothing had come of it.
    mutating func askAnew() {
        self.requestBytes = 0
        for name in self.refused.names { self.buckets.remove(name) }
        self.refused = RefusedLogs()
        for name in self.logs.keys where self.logs[known: name].isRefused {
            self.logs[known: name].isRefused = false
        }
    }

    /// Whether a log may be part of it, where that is for two people only.
    func admits(_ person: PersonID?, own: PersonID) -> Bool {
        guard let direct = self.kind.direct else { return true }
        return person.map { direct.isOf($0, own: own) } ?? false
    }

    mutating func join() {
        self.isJoined = true
        self.isDeparting = false
    }

    /// Notes a leave, which others who are in it are to be told.
    ///
    /// - Parameter isAwaited: somebody is being sent the own log who has said nothing here yet.
    mutating func leave(own: PeerID, isAwaited: Bool = false) {
        self.isJoined = false
        // Two people write no leave: one of them has forgotten the other. In a group it is an act.
        self.isDeparting =
            self.kind.hasJoins && (isAwaited || self.members.contains { $0 != own })
    }

    /// Notes that another member has the leave.
    mutating func departed() { self.isDeparting = false }

    var members: [PeerID] {
        if let direct = self.kind.direct { return [direct.device] }
        if let group = self.group { return group.devices }
        return self.attendance.filter { $0.value.isPresent }.keys.sorted()
    }

    /// Who counts as a fellow for being in it.
    var fellows: [PeerID] {
        if let group = self.group, self.kind.group != nil {
            return self.isJoined ? group.devices : []
        }
        return self.isOfFellows ? Array(self.attendance.keys) : []
    }

    /// Whether somebody counts as a fellow for being in it.
    func isFellow(_ peer: PeerID) -> Bool {
        if let group = self.group, self.kind.group != nil {
            return self.isJoined && group.devices.contains(peer)
        }
        return self.isOfFellows && self.attendance[peer] != nil
    }

    /// The last entry that is taken of a log, by the keys and the roster that are here.
    func limit(of name: LogName) -> UInt64 { self.group?.limit(of: name) ?? .max }

    /// The last entry of a log that is asked for, and the last that need not be: also what is only read counts.
    func askedThrough(_ name: LogName) -> UInt64 {
        self.group?.reads(name) == true ? .max : self.limit(of: name)
    }

    func end(of name: LogName) -> UInt64 {
        max(self.log(name).tail.seq, self.group?.read(of: name) ?? 0)
    }

    /// Whether entries of a log are taken, as far as there is room for it.
    func takes(_ name: LogName) -> Bool { self.isJoined && !self.refused.contains(name) }

    /// What is here of a log, which may be nothing.
    func log(_ name: LogName) -> LogProgress {
        if let log = self.logs[name] { return log }
        var none = LogProgress()
        none.isRefused = self.refused.contains(name)
        return none
    }

    // MARK: Room

    /// How many logs of an author are here.
    func count(of author: PeerID) -> Int { self.authorLogs[author]?.count ?? 0 }

    /// From where the first log of an author came that is here; nil where none did, or that is not known.
    func source(of author: PeerID) -> Source? { self.authorLogs[author]?.source }

    /// Whether an author has done more here than to come and go.
    func hasWritten(_ author: PeerID) -> Bool { self.writers.contains(author) }

    func names(of author: PeerID) -> [LogName] { self.logs.keys.filter { $0.author == author } }

    /// Whether a log of a device says here that it is a person's.
    func shows(_ author: PeerID, as person: PersonID) -> Bool {
        self.count(of: author) > 0
            && self.names(of: author).contains { self.log($0).person == person }
    }

    /// Notes that there is no room for a log; gives whether that is news, and of which others nothing is
    /// remembered any longer for it.
    mutating func refuse(_ name: LogName) -> (isNews: Bool, forgotten: [LogName]) {
        guard !self.log(name).isRefused else { return (false, []) }
        guard !self.logs.has(name) else {
            // What is here stays, of somebody who was forgotten and has to ask again.
            self.logs[known: name].isRefused = self.isRequest
            return (self.isRequest, [])
        }
        // Some were let in meanwhile, and have come or not.
        let forgotten = self.refused.add(name).filter { !self.logs.has($0) }
        for other in forgotten { self.buckets.remove(other) }
        _ = self.buckets.add(name)
        return (true, forgotten)
    }

    /// Lets logs be taken that were refused; gives them, ascending.
    mutating func readmit(where isAdmitted: (LogName) -> Bool) -> [LogName] {
        let names = self.refused.names.filter(isAdmitted).sorted()
        for name in names {
            _ = self.refused.remove(name)
            self.buckets.remove(name)
        }
        return names
    }

    /// A log begins that came from somewhere.
    mutating func begin(_ name: LogName, from source: Source?) {
        self.make(name)
        self.counts.lastNumber += 1
        let marks = LogMarks(isClosed: self.closedElsewhere.remove(name) != nil)
        self.logs[known: name].charge = LogCharge(
            source: source, number: self.counts.lastNumber, marks: marks)
        if self.count(of: name.author) == 1 { self.authorLogs[name.author]?.source = source }
    }

    /// Notes something of a log; gives all that is noted then, and nil where that is known, or it is not here.
    mutating func mark(_ name: LogName, _ marks: LogMarks) -> LogMarks? {
        guard let log = self.logs[name] else { return nil }
        let all = log.charge.marks.union(marks)
        guard all != log.charge.marks else { return nil }
        self.logs[known: name].charge.marks = all
        return all
    }

    /// Whether an author has said that it does not continue a log that is not here.
    func isClosedElsewhere(_ name: LogName) -> Bool { self.closedElsewhere.contains(name) }

    /// Notes that an author does not continue a log that is not here.
    mutating func closeElsewhere(_ name: LogName) {
        guard !self.logs.has(name), self.closedElsewhere.count < Limits.closedElsewhere else {
            return
        }
        self.closedElsewhere.insert(name)
    }

    /// Takes a log out, of which nothing is to be kept here.
    mutating func drop(_ name: LogName) {
        guard let log = self.logs[name] else { return }
        self.group?.release(name)
        if log.isCounted { self.recordsChanged() }
        self.heads.drop(name)
        self.logs[name] = nil
        let left = self.count(of: name.author) - 1
        self.authorLogs[name.author]?.count = left
        if left == 0 { self.authorLogs[name.author] = nil }
        self.reviewWriting(of: name.author)
        self.buckets.remove(name)
        if !self.names(of: name.author).contains(where: { self.log($0).isCounted }) {
            let place = self.authors.place(of: name.author)
            if place < self.authors.count, self.authors[place] == name.author {
                self.authors.remove(at: place)
            }
        }
        if self.attendance[name.author]?.incarnation == name.incarnation {
            self.set(nil, of: name.author)
        }
    }

    /// A log counts from here on: so do the records of its author.
    private mutating func noteCounted(_ author: PeerID) {
        self.recordsChanged()
        let place = self.authors.place(of: author)
        guard place == self.authors.count || self.authors[place] != author else { return }
        self.authors.insert(author, at: place)
    }

    mutating func setTail(_ name: LogName, _ tail: Head) {
        self.make(name)
        self.logs[known: name].tail = tail
    }

    /// Notes whose log begins.
    mutating func setPerson(_ name: LogName, _ person: PersonID?) {
        self.make(name)
        self.logs[known: name].person = person
    }

    /// Notes up to which entry of a log all payloads are here that are to be had; nil for its head.
    mutating func setWhole(_ name: LogName, _ whole: UInt64?) {
        guard self.logs.has(name) else { return }
        self.logs[known: name].whole = whole
    }

    /// Notes that entries at the end of a log are held; times grow, so those between are, too.
    mutating func hold(_ name: LogName, _ seqs: ClosedRange<UInt64>) {
        guard self.logs.has(name), !self.log(name).isBeyondFork(seqs.lowerBound) else { return }
        let first = min(self.logs[known: name].held?.lowerBound ?? .max, seqs.lowerBound)
        self.logs[known: name].held = first...seqs.upperBound
        self.clipHeld(name)
    }

    /// Notes that the entries of a log up to this one are held no longer.
    mutating func release(_ name: LogName, through seq: UInt64) {
        guard let held = self.logs[name]?.held else { return }
        if seq >= held.upperBound {
            self.logs[known: name].held = nil
        } else if seq >= held.lowerBound {
            self.logs[known: name].held = seq + 1...held.upperBound
        }
    }

    /// What lies behind a fork is never shown, and so not held.
    private mutating func clipHeld(_ name: LogName) {
        let log = self.logs[known: name]
        guard let held = log.held, let point = log.forkPoint, held.upperBound >= point else {
            return
        }
        self.logs[known: name].held =
            held.lowerBound < point ? held.lowerBound...point - 1 : nil
    }

    /// Takes a join or leave that is shown, unless a later one of its author counts.
    mutating func attend(_ author: PeerID, _ attendance: Attendance) {
        guard attendance.supersedes(self.attendance[author]) else { return }
        self.set(attendance, of: author)
    }

    private mutating func set(_ attendance: Attendance?, of author: PeerID) {
        let was = self.attendance[author]?.isPresent == true
        self.attendance[author] = attendance
        let change = (attendance?.isPresent == true ? 1 : 0) - (was ? 1 : 0)
        self.present.all += change
        if self.hasWritten(author) { self.present.writers += change }
        self.countMembers()
    }

    /// The incarnations of an author's other logs here, newest first by their last entries.
    func incarnations(of author: PeerID, besides incarnation: UInt64) -> [UInt64] {
        self.logs.filter { $0.key.author == author && $0.key.incarnation != incarnation }
            .sorted { ($1.value.head.time, $1.key) < ($0.value.head.time, $0.key) }
            .map(\.key.incarnation)
    }

    private mutating func make(_ name: LogName) {
        if !self.logs.has(name) { _ = self.set(name, LogProgress()) }
    }

    /// Keeps what is here of a log, which may be new; gives its bucket.
    private mutating func set(_ name: LogName, _ log: LogProgress) -> UInt8 {
        if let bucket = log.bucket {
            self.logs[known: name] = log
            return bucket
        }
        var log = log
        let wasRefused = self.refused.remove(name)
        let bucket = wasRefused ? LogBucket.of(name) : self.buckets.add(name)
        log.bucket = bucket
        log.isRefused = false
        self.logs[name] = log
        self.authorLogs[name.author, default: AuthorLogs(source: log.charge.source)].count += 1
        return bucket
    }

    /// Counts a run as stored; gives its log.
    mutating func append(_ run: VerifiedRun) -> LogProgress {
        let name = run.run.key.name
        var log = self.log(name)
        // A proof may have ended the log while the run was being written.
        guard !log.isBeyondFork(run.run.first) else { return log }
        let wasCounted = log.isCounted
        log.head = log.countedHead(of: run)
        log.change = self.nextChange()
        if log.tail.seq < log.head.seq { log.tail = log.head }
        if !wasCounted, log.isCounted { self.noteCounted(name.author) }
        self.buckets.touch(self.set(name, log))
        self.noteWriting(of: name.author, log)
        return log
    }

    /// How often the head of a log has moved since the start.
    var changes: UInt64 { self.counts.changes }

    private mutating func nextChange() -> UInt64 {
        self.counts.changes += 1
        return self.counts.changes
    }

    /// Notes that an author has written, by a log that does more than begin and join.
    private mutating func noteWriting(of author: PeerID, _ log: LogProgress) {
        guard log.head.seq > Self.silentEntries, !self.hasWritten(author) else { return }
        self.setWriting(author, true)
    }

    /// A log is shorter, or gone: whether its author has written is what the others say.
    private mutating func reviewWriting(of author: PeerID) {
        guard self.hasWritten(author),
            !self.names(of: author).contains(where: {
                self.log($0).head.seq > Self.silentEntries
            })
        else { return }
        self.setWriting(author, false)
    }

    private mutating func setWriting(_ author: PeerID, _ writes: Bool) {
        if writes { self.writers.insert(author) } else { self.writers.remove(author) }
        if self.attendance[author]?.isPresent == true { self.present.writers += writes ? 1 : -1 }
        self.countMembers()
        if self.markScope == .writers { self.recordsChanged() }
    }

    /// Forgets what was accepted but will not reach the disk.
    mutating func resetTails() {
        for name in self.logs.keys { self.logs[known: name].tail = self.logs[known: name].head }
    }

    mutating func end(_ name: LogName, at point: UInt64, head: Head, tail: Head) {
        var log = self.log(name)
        if !log.isCounted { self.noteCounted(name.author) }
        (log.forkPoint, log.head, log.tail) = (point, head, tail)
        log.change = self.nextChange()
        self.buckets.touch(self.set(name, log))
        self.reviewWriting(of: name.author)
        self.clipHeld(name)
    }

    mutating func restore(
        _ name: LogName, _ stored: StoredLog, _ charge: LogCharge = LogCharge()
    ) {
        let log = LogProgress(
            head: stored.head, tail: stored.head, forkPoint: stored.forkPoint,
            person: stored.person,
            whole: stored.wanted.lowest.map { $0 - 1 }, held: stored.held,
            charge: charge)
        self.counts.lastNumber = max(self.counts.lastNumber, charge.number)
        self.buckets.touch(self.set(name, log))
        self.noteWriting(of: name.author, log)
        if log.isCounted { self.noteCounted(name.author) }
        if stored.isHeadShown && stored.head.seq > 0 {
            self.heads.restore(stored.head.id, at: stored.head.time, of: name)
        }
    }

    mutating func recordsChanged() { self.recordCache.isOld = true }

    /// Marks of before a conversation grew are with some members and refused by others: they are not to
    /// differ over them for ever.
    private mutating func countMembers() {
        let most = Limits.markMembers + 1
        let scope: MarkScope =
            self.present.all <= most ? .members : self.present.writers <= most ? .writers : .nobody
        guard scope != self.markScope else { return }
        self.markScope = scope
        self.recordsChanged()
    }

    /// Whether the mark of a member counts, whoever knows them.
    ///
    /// The same on all nodes that have the same logs, since digests count it.
    func countsMark(of author: PeerID) -> Bool {
        switch self.markScope {
        case .members: true
        case .writers: self.hasWritten(author)
        case .nobody: false
        }
    }

    /// Those of some records that digests and record clocks count.
    func counted(_ records: [Record]) -> [Record] {
        records.filter { self.counts($0) }
    }

    /// Addresses go by a frame of their own; an earlier version may have kept some among the records.
    private func counts(_ record: Record) -> Bool {
        record.kind != Record.Kind.address
            && (record.kind != Record.Kind.mark || self.countsMark(of: record.author))
    }

    /// Notes the time of an entry that is shown.
    mutating func noteShown(at time: HybridTime) {
        self.latestShown = max(self.latestShown, time)
    }

    // MARK: Clocks

    /// The logs of a bucket of which clocks may tell, ascending.
    func names(in bucket: UInt8) -> [LogName] { self.buckets.names(in: bucket).sorted() }

    /// The hash of each bucket, by its number.
    mutating func bucketHashes() -> [Bytes32] { self.buckets.hashes(self.logs) }

    /// The digest of all that is on disk; records that are ahead of a millisecond do not count.
    ///
    /// Where there are many authors that of records may be as of a moment ago. `Docs/Protocol/Sync.md` section 3.
    ///
    /// - Parameter now: a monotonic moment.
    mutating func digest(
        _ profiles: Profiles, through latest: UInt64, at now: UInt64 = 0
    ) -> ConversationDigest {
        ConversationDigest(
            logs: self.buckets.digest(of: self.id, self.logs),
            records: self.recordDigest(profiles, through: latest, at: now))
    }

    private mutating func recordDigest(
        _ profiles: Profiles, through latest: UInt64, at now: UInt64
    ) -> Bytes32 {
        if let (digest, newest, madeAt) = self.recordCache.made, newest <= latest {
            let isRecent = now - min(now, madeAt) < Limits.recordDigestMilliseconds
            let isPaced = self.authors.count > Limits.recordDigestAuthors
            if !self.recordCache.isOld || isPaced && isRecent { return digest }
        }
        var writer = WireWriter(capacity: 32 + 74 * self.authors.count)
        writer.raw(self.id.hash)
        var (newest, isComplete): (UInt64, Bool) = (0, true)
        for author in self.authors {
            for record in profiles.records(of: author, in: self.id)
            where self.counts(record) {
                newest = max(newest, record.time.milliseconds)
                guard record.time.milliseconds <= latest else {
                    isComplete = false
                    continue
                }
                writer.raw(record.author.key)
                writer.byte(record.scope)
                writer.byte(record.kind)
                writer.u64(record.time.rawValue)
                writer.raw(record.hash)
            }
        }
        let digest = BLAKE2b.hash256(writer.bytes, personal: .recordDigest)
        // A record that is ahead will count once its time has come, or no longer once the clock is set.
        self.recordCache = (isComplete ? (digest, newest, now) : nil, false)
        return digest
    }
}
