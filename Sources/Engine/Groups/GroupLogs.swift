internal import Crypto
internal import Formats

/// A log of a group whose next entry is not taken until something changes.
struct WaitingLog: Hashable, Sendable {
    enum Reason: Hashable, Sendable {
        /// What opens the entry is not here.
        case key(Bytes32)
        /// Its author is out, or is not known to have been brought in.
        case standing
    }

    /// The first entry that is not taken.
    var seq: UInt64
    var reason: Reason
}

/// A run that came before its key.
struct KeptRun: Sendable {
    var run: Run
    /// Who brought it.
    var link: LinkID
}

/// What a conversation keeps because it is a group.
struct GroupLogs: Sendable {
    /// The members by the acts that are here.
    var people: Set<PersonID> = []
    /// All who were ever brought in, by these acts: only what their logs announce is read.
    private(set) var brought: Set<PersonID> = []
    /// Those devices of members that are known here, ascending.
    var devices: [PeerID] = []
    private(set) var waiting: [LogName: WaitingLog] = [:]
    /// Runs of logs that wait for a key, so that they need not be asked for: mostly it comes a moment later.
    private var kept: [LogName: [KeptRun]] = [:]
    private var keptBytes = 0
    /// Whether a key is here of which no log has told: then logs of those who are out are read to their ends, since its
    /// maker may be one of them.
    var readsOn = false
    /// Up to where logs were read for announcements of keys alone.
    private var read: [LogName: UInt64] = [:]
    /// Whose the logs are of which nothing is taken.
    private(set) var authors: [LogName: PersonID] = [:]

    /// Others were brought in by the acts that are here: what logs announce is read again.
    mutating func note(brought: Set<PersonID>) {
        guard brought != self.brought else { return }
        self.brought = brought
        self.read = [:]
        self.readsOn = false
    }

    /// The last entry of a log that is taken.
    func limit(of name: LogName) -> UInt64 { self.waiting[name].map { $0.seq - 1 } ?? .max }

    /// Holds a log back; false where it is held back there already.
    mutating func hold(_ name: LogName, _ waiting: WaitingLog) -> Bool {
        guard self.waiting[name] != waiting else { return false }
        self.waiting[name] = waiting
        return true
    }

    /// Whether a run of a log that waits for a key is the next one, and there is room to keep it.
    func keeps(_ run: Run) -> Bool {
        let name = run.key.name
        guard let waiting = self.waiting[name], case .key = waiting.reason else { return false }
        let isNext =
            self.kept[name]?.last.map { $0.run.last + 1 == run.first }
            ?? (run.first <= waiting.seq)
        return isNext && self.keptBytes + run.frameBytes <= Limits.keptRunBytes
    }

    /// Keeps a run whose signature holds, where ``keeps(_:)``.
    mutating func keep(_ run: Run, on link: LinkID) {
        guard self.keeps(run) else { return }
        self.kept[run.key.name, default: []].append(KeptRun(run: run, link: link))
        self.keptBytes += run.frameBytes
    }

    /// Takes out what was kept of a log.
    mutating func takeKept(_ name: LogName) -> [KeptRun] {
        let kept = self.kept.removeValue(forKey: name) ?? []
        self.keptBytes -= kept.reduce(0) { $0 + $1.run.frameBytes }
        return kept
    }

    mutating func release(_ name: LogName) {
        self.waiting[name] = nil
        self.read[name] = nil
        self.authors[name] = nil
    }

    /// Holds back the whole log of a former member.
    mutating func hold(_ name: LogName, of person: PersonID) {
        self.waiting[name] = WaitingLog(seq: 1, reason: .standing)
        self.authors[name] = person
    }

    /// The keys for want of which logs are held back.
    var keysAwaited: [Bytes32] {
        self.waiting.values.compactMap { if case .key(let key) = $0.reason { key } else { nil } }
    }

    /// Whether a log is asked for beyond what is taken of it.
    func reads(_ name: LogName) -> Bool {
        self.readsOn && self.waiting[name]?.reason == .standing
    }

    /// Up to where a log was read that is not taken; 0 where it is not asked for.
    func read(of name: LogName) -> UInt64 { self.reads(name) ? self.read[name] ?? 0 : 0 }

    mutating func noteRead(_ name: LogName, through seq: UInt64) {
        guard self.waiting[name]?.reason == .standing else { return }
        self.read[name] = max(self.read[name] ?? 0, seq)
    }
}
