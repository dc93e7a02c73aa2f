internal import Formats

/// Entries that were asked for and are on their way.
struct Fetch: Hashable, Sendable {
    var link: LinkID
    var tag: UInt64
    var through: UInt64
    var deadline: UInt64
    /// When somebody else is asked, too, where there is anybody.
    var patience: UInt64
    /// Who was asked before, and let the time pass.
    var slow: Set<LinkID> = []

    /// Whether a link may be asked now, too.
    func mayBeAsked(of link: LinkID, at now: UInt64) -> Bool {
        self.patience <= now && self.link != link && !self.slow.contains(link)
    }
}

/// What was asked of whom, over all links: each log is asked of one peer after the other.
struct Fetching: Sendable {
    private var fetches: [LogKey: Fetch] = [:]
    /// The same by their links, on each of which there are few.
    private var byLink: [LinkID: Set<LogKey>] = [:]
    /// Which conversations wait for their turn to ask.
    var plans = FetchPlans()
    /// Conversations in which a peer has what this node may have to ask for.
    private var seeking: Set<ConversationID> = []
    /// Links on which a want has ended while others wait for one.
    private var freed: Set<LinkID> = []
    private var armedAt: UInt64?
    /// When logs may be asked for whose authors have their time until then: milliseconds, of which there are
    /// no more than that time has.
    private(set) var moments: Set<UInt64> = []

    var count: Int { self.fetches.count }

    func fetch(of key: LogKey) -> Fetch? { self.fetches[key] }

    func isFetching(_ conversation: ConversationID) -> Bool {
        self.fetches.keys.contains { $0.conversation == conversation }
    }

    mutating func begin(_ key: LogKey, _ fetch: Fetch) {
        precondition(self.fetches[key] == nil, "a log is asked of one peer after the other")
        self.fetches[key] = fetch
        self.byLink[fetch.link, default: []].insert(key)
    }

    mutating func end(_ key: LogKey) -> Fetch? {
        guard let fetch = self.fetches.removeValue(forKey: key) else { return nil }
        self.byLink[fetch.link]?.remove(key)
        if self.byLink[fetch.link]?.isEmpty == true { self.byLink[fetch.link] = nil }
        return fetch
    }

    /// A run of a fetch has come: it gets as much time again.
    mutating func extend(_ key: LogKey, at now: UInt64) {
        self.fetches[known: key].deadline = now + Limits.wantMilliseconds
        self.fetches[known: key].patience = now + Limits.slowWantMilliseconds
    }

    /// The logs that a link is asked for, in order.
    func keys(of link: LinkID, where isMeant: (LogKey, Fetch) -> Bool = { _, _ in true })
        -> [LogKey]
    {
        (self.byLink[link] ?? []).filter { isMeant($0, self.fetches[known: $0]) }.sorted()
    }

    /// The fetches whose time is over, in order.
    func overdue(at now: UInt64) -> [LogKey] {
        self.fetches.filter { $0.value.deadline <= now }.keys.sorted()
    }

    /// The fetches that have taken so long that others may be asked, in order.
    func slow(at now: UInt64) -> [LogKey] {
        self.fetches.filter { $0.value.patience <= now }.keys.sorted()
    }

    /// When there is something to do about each fetch.
    var deadlines: [UInt64] { self.fetches.values.flatMap { [$0.patience, $0.deadline] } }

    // MARK: Conversations

    mutating func seek(_ conversation: ConversationID) { self.seeking.insert(conversation) }

    /// The conversations in which something may be asked for; each is noted again where it still is.
    mutating func takeSeeking() -> Set<ConversationID> {
        defer { self.seeking = [] }
        return self.seeking
    }

    // MARK: Links with free wants

    mutating func free(_ link: LinkID) { self.freed.insert(link) }

    mutating func takeFreed() -> LinkID? {
        guard let first = self.freed.min() else { return nil }
        return self.freed.remove(first)
    }

    // MARK: Waking up

    /// Whether the node is to be woken at a moment; an earlier wake-up stands.
    mutating func arm(at moment: UInt64) -> Bool {
        guard self.armedAt.map({ moment < $0 }) ?? true else { return false }
        self.armedAt = moment
        return true
    }

    /// Notes that something may be asked for from a moment on.
    mutating func noteMoment(_ moment: UInt64) { self.moments.insert(moment) }

    /// Nothing is to be asked for any longer.
    mutating func dropMoments() { self.moments = [] }

    mutating func wokenUp(at now: UInt64) {
        self.armedAt = nil
        self.moments = self.moments.filter { $0 > now }
    }
}
