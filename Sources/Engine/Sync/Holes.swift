internal import Formats

/// What is missing here and does not come: what is remembered of it, and what subscribers are told.
///
/// Logs are stored without gaps, so what is missing of one is at its end: entries that its author has signed, or that
/// others had when they were last linked. It stands as missing once nothing of it has come for
/// ``Limits/holeMilliseconds``, and goes as soon as it is here. A conversation is looked at only when something was
/// learned about it, so one in which nothing is missing costs nothing.
struct Holes: Sendable {
    /// How much there is of a log, as far as that is remembered.
    struct Traces: Hashable, Sendable {
        /// The number of an entry that the author has signed.
        var signed: UInt64 = 0
        /// How much peers had when they were last linked.
        var told: [PeerID: UInt64] = [:]
    }

    /// What is missing of somebody's, and since when nothing of it has come.
    private struct Waiting: Hashable {
        var here: UInt64
        var since: UInt64
    }

    private var traces: [ConversationID: [LogName: Traces]] = [:]
    private var waiting: [ConversationID: [PeerID: Waiting]] = [:]
    private var standing: [ConversationID: [MissingEntries]] = [:]
    /// From when on subscribers may be told again.
    private var nextTold: [ConversationID: UInt64] = [:]
    /// When conversations are looked at.
    private var looks: [ConversationID: UInt64] = [:]
    /// When a signature of what does not follow was checked last for a stranger.
    private var checkedAt: UInt64?
    /// The first of these moments.
    private var next: UInt64?
    private var armed: UInt64?

    /// Whether a conversation is to be looked at now, or the node to be woken for that.
    func isDue(at now: UInt64) -> Bool {
        guard let next = self.next else { return false }
        return next <= now || self.armed.map { next < $0 } ?? true
    }

    /// The conversations of which something is missing.
    var conversations: [ConversationID] { self.standing.keys.sorted() }

    /// What stands as missing.
    func standing(in id: ConversationID) -> [MissingEntries] { self.standing[id] ?? [] }

    func traces(in id: ConversationID) -> [LogName: Traces] { self.traces[id] ?? [:] }

    // MARK: What is remembered

    /// Whether a signature may be checked that a stranger brings, which then counts: forged ones cost them nothing.
    mutating func mayCheck(at now: UInt64) -> Bool {
        if let checkedAt, now < checkedAt + Limits.holeCheckMilliseconds { return false }
        self.checkedAt = now
        return true
    }

    /// The author of a log has signed an entry that is not here.
    mutating func note(signed last: UInt64, of key: LogKey, isFirst: (PeerID) -> Bool) {
        guard self.makeRoom(for: key, isFirst) else { return }
        let known = self.traces[key.conversation]?[key.name]?.signed ?? 0
        self.traces[key.conversation, default: [:]][key.name, default: Traces()].signed =
            max(known, last)
    }

    /// A peer is linked no longer that had more of a log than is here.
    mutating func note(
        _ last: UInt64, of key: LogKey, at peer: PeerID, isFirst: (PeerID) -> Bool
    ) {
        guard self.makeRoom(for: key, isFirst) else { return }
        let told = self.traces[key.conversation]?[key.name]?.told ?? [:]
        guard told[peer] != nil || told.count < Limits.holeHolders else { return }
        self.traces[key.conversation, default: [:]][key.name, default: Traces()].told[peer] = last
    }

    /// Whether a log has a place, which one of somebody who does not come first gives to one who does.
    private mutating func makeRoom(for key: LogKey, _ isFirst: (PeerID) -> Bool) -> Bool {
        let known = self.traces[key.conversation] ?? [:]
        guard known[key.name] == nil, known.count >= Limits.holeLogs else { return true }
        guard isFirst(key.name.author),
            let other = known.keys.filter({ !isFirst($0.author) }).max()
        else { return false }
        self.traces[key.conversation]?[other] = nil
        return true
    }

    /// Forgets what is remembered of logs and says nothing any longer.
    mutating func prune(_ id: ConversationID, where isOver: (LogName, Traces) -> Bool) {
        guard let known = self.traces[id] else { return }
        let left = known.filter { !isOver($0.key, $0.value) }
        self.traces[id] = left.isEmpty ? nil : left
    }

    // MARK: When it is looked at

    /// Something was learned about a conversation.
    mutating func watch(_ id: ConversationID, at now: UInt64) {
        let wait = self.standing[id] == nil ? Limits.holeMilliseconds : 0
        self.look(at: id, at: max(now + wait, self.nextTold[id] ?? 0))
    }

    private mutating func look(at id: ConversationID, at moment: UInt64) {
        self.looks[id] = min(self.looks[id] ?? .max, moment)
        self.next = min(self.next ?? .max, moment)
    }

    /// Something has come, or is settled otherwise: only where something is missing that is to be looked at.
    mutating func settle(_ id: ConversationID, at now: UInt64) {
        if self.standing[id] != nil { self.watch(id, at: now) }
    }

    mutating func woke() { self.armed = nil }

    /// The conversations whose turn has come, in order.
    mutating func takeDue(at now: UInt64) -> [ConversationID] {
        let due = self.looks.filter { $0.value <= now }.keys.sorted().prefix(Limits.holeLooks)
        for id in due { self.looks[id] = nil }
        self.next = self.looks.values.min()
        return Array(due)
    }

    /// The moment to be woken at, where it is another one than was said last.
    mutating func newMoment(at now: UInt64) -> UInt64? {
        guard let next = self.next else { return nil }
        let moment = max(next, now + 1)
        guard self.armed.map({ moment < $0 }) ?? true else { return nil }
        self.armed = moment
        return moment
    }

    /// Takes what is missing of a conversation now; true where subscribers are to be told.
    ///
    /// - Parameter isFirst: whether somebody is of those whom the user knows; all others could have subscribers told
    ///   of what they withhold and bring again and again.
    mutating func look(
        _ id: ConversationID, _ found: [MissingEntries], isFirst: (PeerID) -> Bool, at now: UInt64
    ) -> Bool {
        let stood = Set(self.standing(in: id).map(\.author))
        let before = self.waiting[id] ?? [:]
        var waiting: [PeerID: Waiting] = [:]
        var standing: [MissingEntries] = []
        var next: UInt64?
        for entries in found {
            if stood.contains(entries.author) {
                standing.append(entries)
                continue
            }
            var wait = before[entries.author] ?? Waiting(here: entries.here, since: now)
            // What comes is not missing but late.
            if wait.here != entries.here { wait = Waiting(here: entries.here, since: now) }
            let moment = wait.since + Limits.holeMilliseconds
            if moment <= now {
                standing.append(entries)
            } else {
                waiting[entries.author] = wait
                next = min(next ?? .max, moment)
            }
        }
        self.waiting[id] = waiting.isEmpty ? nil : waiting
        if let next { self.look(at: id, at: max(next, self.nextTold[id] ?? 0)) }
        guard standing != self.standing(in: id) else { return false }
        let isOfKnown = stood.union(standing.map(\.author)).contains(where: isFirst)
        let pause =
            isOfKnown ? Limits.holeEventMilliseconds : Limits.strangersHoleEventMilliseconds
        self.nextTold[id] = now + pause
        self.standing[id] = standing.isEmpty ? nil : standing
        return true
    }

    /// The user left a conversation; true where subscribers are to be told that nothing is missing.
    mutating func drop(_ id: ConversationID) -> Bool {
        (self.traces[id], self.waiting[id], self.nextTold[id], self.looks[id]) = (
            nil, nil, nil, nil
        )
        return self.standing.removeValue(forKey: id) != nil
    }
}
