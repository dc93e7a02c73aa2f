internal import Crypto

/// One log, as far as a node keeps it in memory.
struct LogProgress: Hashable, Sendable {
    /// The last entry on disk; what clocks, digests and wants speak of.
    var head = Head.start
    /// The last entry accepted, on disk or on its way there.
    var tail = Head.start
    /// Proof that the author signed two histories; the log ends before its point.
    var fork: ForkProof?

    /// Whether entries from this seq on count no longer.
    func isBeyondFork(_ seq: UInt64) -> Bool {
        self.fork.map { seq >= $0.point } ?? false
    }

    /// The last entry of a run that counts.
    ///
    /// Of a forked log the run may reach beyond the point, where only a later attestation covers
    /// what lies before it.
    func countedHead(of run: VerifiedRun) -> Head {
        guard let point = self.fork?.point, run.run.last >= point else { return run.head }
        let index = Int(point - run.run.first) - 1
        return Head(
            seq: point - 1, id: run.ids[index], time: run.run.entries[index].time)
    }
}

/// When somebody last joined or left, and which.
struct Attendance: Hashable, Sendable {
    var time: HybridTime
    var isPresent: Bool
}

/// One conversation, as far as a node keeps it in memory: logs and heads, never entries.
struct Conversation: Sendable {
    let id: ConversationID
    let name: RoomName
    private(set) var isJoined: Bool
    /// Whether the user has left and no other member is known to have been told.
    private(set) var isDeparting = false
    private(set) var logs = Table<LogName, LogProgress>()
    /// Shown entries that no other shown entry follows, with their times: the deps of the next own one.
    private(set) var heads: [EntryID: HybridTime] = [:]
    var attendance: [PeerID: Attendance] = [:]
    var latestShown = HybridTime(0)
    /// The digest, and the newest record in it in milliseconds.
    private var digestCache: (digest: Bytes32, newest: UInt64)?

    init(id: ConversationID, name: RoomName, isJoined: Bool) {
        self.id = id
        self.name = name
        self.isJoined = isJoined
    }

    /// The conversations that a store has kept.
    static func restored(
        from snapshot: Snapshot, own: PeerID
    ) -> [ConversationID: Conversation] {
        var conversations: [ConversationID: Conversation] = [:]
        for (id, membership) in snapshot.rooms {
            var conversation = Conversation(
                id: id, name: membership.name, isJoined: membership.isJoined)
            conversation.latestShown = snapshot.latestShown[id] ?? HybridTime(0)
            // Older joins and leaves that arrive later must not undo what the store has settled.
            for member in snapshot.members[id] ?? [] {
                conversation.attendance[member] = Attendance(
                    time: conversation.latestShown, isPresent: true)
            }
            // Whether the others were told before the last stop is not known.
            if !membership.isJoined { conversation.leave(own: own) }
            conversations[id] = conversation
        }
        let proofs = Dictionary(
            snapshot.proofs.map { ($0.key, $0) },
            uniquingKeysWith: { $0.point < $1.point ? $0 : $1 })
        for (key, log) in snapshot.logs {
            conversations[key.conversation]?.restore(key.name, log, fork: proofs[key])
        }
        return conversations
    }

    /// Whether it is shared with peers that are in it, though nothing of theirs is taken after a leave.
    var isShared: Bool { self.isJoined || self.isDeparting }

    mutating func join() {
        self.isJoined = true
        self.isDeparting = false
    }

    /// Notes a leave, which others who are in it are to be told.
    mutating func leave(own: PeerID) {
        self.isJoined = false
        self.isDeparting = self.members.contains { $0 != own }
    }

    /// Notes that another member has the leave.
    mutating func departed() { self.isDeparting = false }

    var members: [PeerID] {
        self.attendance.filter { $0.value.isPresent }.keys.sorted()
    }

    /// Whether a log may be begun: bounds what an author and all together can make a node hold.
    func hasRoom(for name: LogName) -> Bool {
        if self.logs.has(name) { return true }
        return self.logs.count < Limits.logsPerConversation
            && self.logs.keys.count { $0.author == name.author } < Limits.logsPerAuthor
    }

    /// Whether entries of a log are taken.
    func takes(_ name: LogName) -> Bool { self.isJoined && self.hasRoom(for: name) }

    func log(_ name: LogName) -> LogProgress { self.logs[name] ?? LogProgress() }

    mutating func setTail(_ name: LogName, _ tail: Head) {
        self.make(name)
        self.logs[name]?.tail = tail
    }

    private mutating func make(_ name: LogName) {
        if !self.logs.has(name) { self.logs[name] = LogProgress() }
    }

    /// Counts a run as stored; gives its log.
    mutating func append(_ run: VerifiedRun) -> LogProgress {
        let name = run.run.key.name
        var log = self.log(name)
        // A proof may have ended the log while the run was being written.
        guard !log.isBeyondFork(run.run.first) else { return log }
        log.head = log.countedHead(of: run)
        if log.tail.seq < log.head.seq { log.tail = log.head }
        self.logs[name] = log
        self.digestCache = nil
        return log
    }

    /// Forgets what was accepted but will not reach the disk.
    mutating func resetTails() {
        for name in self.logs.keys { self.logs[known: name].tail = self.logs[known: name].head }
    }

    mutating func end(_ name: LogName, by proof: ForkProof, head: Head, tail: Head) {
        self.make(name)
        self.logs[name]?.fork = proof
        self.logs[name]?.head = head
        self.logs[name]?.tail = tail
        self.digestCache = nil
    }

    mutating func restore(_ name: LogName, _ stored: StoredLog, fork: ForkProof?) {
        self.logs[name] = LogProgress(head: stored.head, tail: stored.head, fork: fork)
        if stored.isHeadShown && stored.head.seq > 0 {
            self.heads[stored.head.id] = stored.head.time
        }
    }

    mutating func recordsChanged() { self.digestCache = nil }

    /// Counts an entry as shown: it follows its predecessors, so they are no heads any longer.
    ///
    /// One that the next of its run follows at once never becomes a head: two look-ups of an id less
    /// for each entry of a batch but the last.
    mutating func show(_ id: EntryID, _ entry: Entry, prev: EntryID?, isFollowed: Bool) {
        if let prev { self.heads[prev] = nil }
        for dep in entry.deps { self.heads[dep] = nil }
        if !isFollowed { self.heads[id] = entry.time }
        self.latestShown = max(self.latestShown, entry.time)
    }

    /// Counts an entry as shown of which only the time is known.
    mutating func show(_ id: EntryID, at time: HybridTime) {
        self.heads[id] = time
        self.latestShown = max(self.latestShown, time)
    }

    /// An entry is followed: own entries must not follow it, too.
    mutating func follow(_ id: EntryID) { self.heads[id] = nil }

    /// The deps of the next own entry: the newest heads but the own log's, ascending.
    func deps(besides own: EntryID) -> [EntryID] {
        if self.heads.count == 1, self.heads[own] != nil { return [] }
        let others = self.heads.lazy.filter { $0.key != own }
        let newest = others.sorted { ($0.value, $0.key) > ($1.value, $1.key) }
        return newest.prefix(Limits.depCount).map(\.key).sorted()
    }

    func time(ofHead id: EntryID) -> HybridTime { self.heads[id] ?? HybridTime(0) }

    /// The digest of all that is on disk; records that are ahead of a millisecond do not count.
    ///
    /// `Docs/Protocol/Sync.md` section 2.
    mutating func digest(records: [PeerID: Record], through latest: UInt64) -> Bytes32 {
        if let (digest, newest) = self.digestCache, newest <= latest { return digest }
        var writer = WireWriter(capacity: 48 + 81 * self.logs.count)
        let counted = self.logs.filter { $0.value.head.seq > 0 || $0.value.fork != nil }
        writer.raw(self.id.hash)
        writer.u64(UInt64(counted.count))
        for (name, log) in counted.sorted(by: { $0.key < $1.key }) {
            writer.raw(name.author.key)
            writer.u64(name.incarnation)
            writer.u64(log.head.seq)
            writer.raw(log.head.id.hash)
            writer.byte(log.fork == nil ? 0 : 1)
        }
        let known = Set(counted.map(\.key.author)).sorted().compactMap { records[$0] }
        let profiles = known.filter { $0.time.milliseconds <= latest }
        writer.u64(UInt64(profiles.count))
        for record in profiles {
            writer.raw(record.author.key)
            writer.byte(record.kind)
            writer.u64(record.time.rawValue)
            writer.raw(record.hash)
        }
        let digest = BLAKE2b.hash256(writer.bytes, personal: .digest)
        // A record that is ahead will count once its time has come, or no longer once the clock is set.
        let newest = known.map(\.time.milliseconds).max() ?? 0
        if profiles.count == known.count { self.digestCache = (digest, newest) }
        return digest
    }
}
