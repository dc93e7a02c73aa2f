internal import Formats

/// A search for the first entry at which a peer's view of a log differs from the own one.
struct ForkSearch: Hashable, Sendable {
    var link: LinkID
    /// How many entries before the first known difference the next question begins; doubles.
    var stride: UInt64
    /// Where the running question begins.
    var from: UInt64
    var deadline: UInt64
    /// The peer's entries, once they are here, while the own ones are read.
    var theirs: VerifiedRun?
    var steps: Int
}

/// What a search for a fork needs next.
enum ForkStep: Hashable, Sendable {
    /// Nothing; the search is over where it found nothing, or waits.
    case none
    /// Ask the peer for the entry at this seq.
    case ask(LinkID, LogKey, at: UInt64)
    /// Read the own entries of this stretch.
    case read(LogKey, from: UInt64, through: UInt64)
    case proven(ForkProof)
}

/// Searches for where two histories of one author part; one per log at a time.
///
/// `Docs/Protocol/Sync.md` section 6. A run that begins inside the own log may hold the difference
/// already: then only the own entries at its place are read. Otherwise the peer is asked backwards,
/// ever further.
struct ForkSearches: Sendable {
    /// A log of which a peer shows another history.
    private struct Suspicion: Hashable {
        var key: LogKey
        var peer: PeerID
    }

    private var searches: [LogKey: ForkSearch] = [:]
    private var suspicions: Set<Suspicion> = []
    /// Logs of which sites have brought another history: that which ends below the own one is compared, too.
    private var atSites: Set<LogKey> = []
    /// How many proofs have come to the disk since the start.
    var provenCount: UInt64 = 0

    var count: Int { self.searches.count }

    var deadlines: [UInt64] { self.searches.values.map(\.deadline) }

    func isSearching(_ key: LogKey) -> Bool { self.searches[key] != nil }

    func isSearching(_ key: LogKey, on link: LinkID) -> Bool { self.searches[key]?.link == link }

    /// Whether a suspicion is worth a line of the log: the first of each log and peer is.
    mutating func isNews(_ key: LogKey, from peer: PeerID) -> Bool {
        if self.suspicions.count >= Limits.forkSuspicions { self.suspicions = [] }
        return self.suspicions.insert(Suspicion(key: key, peer: peer)).inserted
    }

    /// Begins to search where a run leaves the own log, or where a peer's head differs.
    mutating func begin(
        _ key: LogKey, on link: LinkID, head: UInt64, with run: VerifiedRun?, at now: Instant
    ) -> ForkStep {
        precondition(self.searches[key] == nil, "there is one search per log at a time")
        let stride = UInt64(Limits.runEntries)
        guard let run, run.run.first <= head else {
            return self.ask(key, on: link, before: head + 1, stride: stride, steps: 0, at: now)
        }
        self.searches[key] = ForkSearch(
            link: link, stride: stride / 2, from: run.run.first,
            deadline: now.monotonic + Limits.wantMilliseconds, theirs: run, steps: 0)
        return .read(key, from: run.run.first, through: run.run.last)
    }

    private mutating func ask(
        _ key: LogKey, on link: LinkID, before: UInt64, stride: UInt64, steps: Int,
        at now: Instant
    ) -> ForkStep {
        guard steps < Limits.forkSearchSteps else {
            self.searches[key] = nil
            return .none
        }
        let from = before > stride ? before - stride : 1
        self.searches[key] = ForkSearch(
            link: link, stride: stride, from: from,
            deadline: now.monotonic + Limits.wantMilliseconds, theirs: nil, steps: steps)
        return .ask(link, key, at: from)
    }

    /// Whether a run is the answer that a search waits for.
    func isAwaited(_ run: Run) -> Bool {
        self.searches[run.key].map { $0.theirs == nil && $0.from == run.first } ?? false
    }

    /// The peer's entries have come: the own ones at the same place are read.
    mutating func receive(_ run: VerifiedRun) -> ForkStep {
        let key = run.run.key
        self.searches[known: key].theirs = run
        return .read(key, from: run.run.first, through: run.run.last)
    }

    /// The own entries have come: either the difference is here, or it lies before or behind.
    mutating func readOwn(_ run: Run?, of key: LogKey, at now: Instant) -> ForkStep {
        // The answer to an earlier search, given up since, may come while another one runs.
        guard let search = self.searches[key], let theirs = search.theirs,
            run.map({ $0.first == search.from }) ?? true
        else { return .none }
        self.searches[key] = nil
        guard let run else { return .none }
        let own = VerifiedRun(run: run, ids: run.ids)
        switch Self.compare(own, theirs) {
        case .before:
            return self.ask(
                key, on: search.link, before: search.from, stride: search.stride * 2,
                steps: search.steps + 1, at: now)
        case .behind(let next):
            return self.ask(
                key, on: search.link, before: next + 1, stride: 1, steps: search.steps + 1,
                at: now)
        case .proven(let proof): return .proven(proof)
        }
    }

    /// Where two histories part, as far as runs of them that begin at one place say it.
    enum Comparison {
        case before
        /// All that both hold is the same, up to this place.
        case behind(UInt64)
        case proven(ForkProof)
    }

    static func compare(_ own: VerifiedRun, _ theirs: VerifiedRun) -> Comparison {
        if theirs.run.prev != own.run.prev { return .before }
        let differing = zip(own.ids, theirs.ids).enumerated().first { $0.element.0 != $0.element.1 }
        guard let index = differing?.offset else {
            return .behind(min(own.run.last, theirs.run.last) + 1)
        }
        let point = own.run.first + UInt64(index)
        guard let left = own.suffix(from: point), let right = theirs.suffix(from: point),
            let proof = ForkProof(left, right)
        else { preconditionFailure("two runs that differ at a seq prove a fork there") }
        return .proven(proof)
    }

    /// The logs that a link was asked for and has not answered, in order.
    func awaited(from link: LinkID, in conversation: ConversationID) -> [LogKey] {
        self.searches.filter { key, search in
            search.link == link && search.theirs == nil && key.conversation == conversation
        }.keys.sorted()
    }

    mutating func end(_ key: LogKey) {
        self.searches[key] = nil
        self.atSites.remove(key)
    }

    /// A site has brought another history.
    mutating func suspectAtSite(_ key: LogKey) {
        if self.atSites.count >= Limits.forkSuspicions { self.atSites = [] }
        self.atSites.insert(key)
    }

    func isSuspectAtSite(_ key: LogKey) -> Bool { self.atSites.contains(key) }

    mutating func end(of link: LinkID) {
        self.searches = self.searches.filter { $0.value.link != link }
    }

    mutating func endOverdue(at now: UInt64) {
        self.searches = self.searches.filter { $0.value.deadline > now }
    }
}
