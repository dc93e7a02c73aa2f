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

/// What a conversation keeps because its keys come and go: that of a group, or of two people.
struct GroupLogs: Sendable {
    /// The members by the acts that are here.
    var people: Set<PersonID> = []
    /// All who were ever brought in, by these acts: only what their logs announce is read.
    private(set) var brought: Set<PersonID> = []
    /// Those devices of members that are known here, ascending.
    var devices: [PeerID] = []
    private(set) var waiting: [LogName: WaitingLog] = [:]
    /// Whether a key is here of which no log has told: then logs of those who are out are read to their ends, since its
    /// maker may be one of them.
    private(set) var readsOn = false
    /// Keys that are here, and of which logs have told nothing right so far: logs that wait for one are read to their ends,
    /// since its maker may have said something wrong of it first.
    private(set) var mistold: Set<Bytes32> = []
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
        self.mistold = []
    }

    /// Says which logs are read on; gives those that are so from here on.
    ///
    /// Those that wait for a key are read again, since there may have been no room for what was read of it.
    mutating func readOn(_ mistold: Set<Bytes32>, all readsOn: Bool) -> [LogName] {
        let earlier = self
        (self.readsOn, self.mistold) = (readsOn, mistold)
        let now = self.waiting.keys.filter { self.reads($0) && !earlier.reads($0) }
        for name in now {
            if case .key? = self.waiting[name]?.reason { self.read[name] = nil }
        }
        return now.sorted()
    }

    /// The last entry of a log that is taken.
    func limit(of name: LogName) -> UInt64 { self.waiting[name].map { $0.seq - 1 } ?? .max }

    /// Holds a log back; false where it is held back there already.
    mutating func hold(_ name: LogName, _ waiting: WaitingLog) -> Bool {
        guard self.waiting[name] != waiting else { return false }
        self.waiting[name] = waiting
        return true
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
        switch self.waiting[name]?.reason {
        case .standing?: self.readsOn
        case .key(let key)?: self.mistold.contains(key)
        case nil: false
        }
    }

    /// Up to where a log was read that is not taken; 0 where it is not asked for.
    func read(of name: LogName) -> UInt64 { self.reads(name) ? self.read[name] ?? 0 : 0 }

    mutating func noteRead(_ name: LogName, through seq: UInt64) {
        guard self.waiting[name] != nil else { return }
        self.read[name] = max(self.read[name] ?? 0, seq)
    }
}
