internal import Formats

/// Whether packets are lost on the way to linked peers and back, by what the system counts while pings go.
///
/// Only who asks what is wrong has it tried. A quiet link carries too little to tell, and what was counted
/// since it began may be days old; so pings are sent, far enough apart that each is a packet of its own,
/// and their answers come as such. What the system had to send again meanwhile was lost. Where nothing was,
/// that is all; where something was, more pings tell how much. `Docs/Decisions/0038-loss-is-tried.md`.
struct PacketTrial: Sendable {
    /// A link that may be tried.
    struct Candidate: Sendable {
        var link: LinkID
        var peer: PeerID
        var address: String
        /// How far it is trusted.
        var tier: Tier
        /// Whether large packets are lost on it.
        var isStuck = false
    }

    /// What is to be done next.
    enum Step: Hashable, Sendable {
        /// Nothing: the timer comes again, or the counts do.
        case wait
        /// Ask the system for the counts of all links.
        case countAll
        /// Send a ping on each.
        case ping([LinkID])
        /// Ask the system for the counts of each.
        case count([LinkID])
    }

    private enum Phase: Hashable, Sendable {
        case idle
        /// The first counts are to be asked for.
        case asked
        /// The first counts are to come.
        case beginning
        /// So many rounds of pings are left.
        case sending(Int)
        /// The last answers are to come, and what is under way to be sent again.
        case settling
        /// The counts are to come by which it is judged.
        case ending
    }

    private struct Trial: Sendable {
        var candidate: Candidate
        var before: PacketCounts
        /// Whether it goes on, since something was lost.
        var isOpen = true
    }

    private var phase = Phase.idle
    private var trials: [Trial] = []
    private var isSecond = false
    private var waiting: [RequestID] = []
    /// The hosts to which no link is tried.
    private(set) var own: Set<Source> = []
    private var reports: [PacketReport]?
    /// When ``due(at:)`` is to be called; nil where nothing is to come.
    private(set) var dueAt: UInt64?

    /// A user wants to know; where a trial is under way, it is theirs, too.
    ///
    /// It begins with the timer, so that of two links to one peer, of which one has just come, it is decided
    /// first which one stays.
    mutating func ask(for request: RequestID, besides own: Set<Source>, at now: Instant) {
        self.waiting.append(request)
        guard self.phase == .idle else { return }
        self.own = own
        self.phase = .asked
        self.dueAt = now.monotonic
    }

    /// The counts that were asked for have come.
    ///
    /// Those are tried who are trusted most, so that strangers who lose packets on purpose keep nobody out; of
    /// them those whose packets are small or lost, then those who have lost most so far, then as they come in
    /// `candidates`. Of a link without counts nothing can be told.
    mutating func counted(
        _ counts: [LinkID: PacketCounts], _ candidates: [Candidate], at now: Instant
    ) {
        switch self.phase {
        case .beginning:
            let able = candidates.compactMap { candidate in
                counts[candidate.link].map { Trial(candidate: candidate, before: $0) }
            }
            func badness(_ trial: Trial) -> UInt64 {
                trial.before.lostPerThousand
                    + (trial.before.isNarrow || trial.candidate.isStuck ? 1_000 : 0)
            }
            let order = able.indices.sorted {
                let (a, b) = (able[$0], able[$1])
                return (b.candidate.tier.rawValue, badness(b), $0)
                    < (a.candidate.tier.rawValue, badness(a), $1)
            }
            self.trials = order.prefix(Limits.packetTrialLinks).map { able[$0] }
            self.isSecond = false
            self.send(Limits.packetTrialPings, at: now)
        case .ending: self.judge(counts, at: now)
        case .idle, .asked, .sending, .settling: break
        }
    }

    /// The timer is due.
    mutating func due(at now: Instant) -> Step {
        let open = self.trials.filter(\.isOpen).map(\.candidate.link)
        switch self.phase {
        case .asked:
            self.phase = .beginning
            self.dueAt = nil
            return .countAll
        case .sending(let left):
            self.phase = left > 1 ? .sending(left - 1) : .settling
            self.dueAt =
                now.monotonic
                + (left > 1 ? Limits.packetTrialMilliseconds : Limits.packetSettleMilliseconds)
            return .ping(open)
        case .settling:
            self.phase = .ending
            self.dueAt = nil
            return .count(self.trials.map(\.candidate.link))
        case .idle, .beginning, .ending:
            self.dueAt = nil
            return .wait
        }
    }

    /// A link has ended: nothing more is told of it.
    mutating func linkEnded(_ link: LinkID) {
        self.trials.removeAll { $0.candidate.link == link }
    }

    /// Who waits, and what was found; nil until it was.
    mutating func takeDone() -> (requests: [RequestID], reports: [PacketReport])? {
        guard let reports = self.reports.take() else { return nil }
        defer { self.waiting = [] }
        return (self.waiting, reports)
    }

    private mutating func send(_ rounds: Int, at now: Instant) {
        guard self.trials.contains(where: \.isOpen) else { return self.end([:]) }
        self.phase = .sending(rounds)
        self.dueAt = now.monotonic
    }

    private mutating func judge(_ counts: [LinkID: PacketCounts], at now: Instant) {
        guard !self.isSecond else { return self.end(counts) }
        self.isSecond = true
        for index in self.trials.indices {
            guard let count = counts[self.trials[index].candidate.link] else { continue }
            let found = count.since(self.trials[index].before)
            self.trials[index].isOpen = found.lost > 0 || found.early > 0
        }
        guard self.trials.contains(where: \.isOpen) else { return self.end(counts) }
        self.send(Limits.packetTrialMorePings, at: now)
    }

    private mutating func end(_ counts: [LinkID: PacketCounts]) {
        self.reports = self.trials.compactMap { trial in
            guard let found = counts[trial.candidate.link]?.since(trial.before) else { return nil }
            return PacketReport(
                peer: trial.candidate.peer, address: trial.candidate.address, sent: found.sent,
                lost: found.lost, received: found.received, early: found.early,
                isNarrow: found.isNarrow, isStuck: trial.candidate.isStuck)
        }
        self.trials = []
        self.phase = .idle
        self.dueAt = nil
    }
}
