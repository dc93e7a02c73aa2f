internal import Formats

/// How discovery looks for peers.
package enum PeerSearch: Hashable, Sendable {
    /// The network is asked, now and ever less often; what comes and goes is reported.
    case open
    /// The network is asked once; what answers within a second is reported.
    case ask
    /// What the network's own announcements have brought so far is reported; nothing is asked.
    case glance
    /// Nothing is looked for. The own announcement stays.
    case rest
}

/// When discovery asks the network for peers, when it only listens, and when it rests.
///
/// Who comes announces itself, so a network that fills up tells everybody of everybody without a
/// question. A question makes all of n hosts compare n known answers, and where n hosts ask within the
/// same second each of them compares n³ names: 60 hosts that asked as mDNS proposes, after 0, 1, 3 and 7
/// seconds, had no link after four minutes. So a node asks once when it starts or its network changes,
/// then glances at what it has heard. Among few it then asks as mDNS proposes; in a crowd all together
/// ask twice a minute.
struct Search: Hashable, Sendable {
    private enum Phase: Hashable {
        /// The network was asked; each of the ``Limits/glanceMilliseconds`` from the beginning has its look.
        case glancing(Int)
        /// Among few: discovery follows by itself what comes and goes.
        case open
        /// In a crowd, after the beginning.
        case resting
    }

    /// What is to be done.
    struct Decision: Hashable {
        /// How to look from now on; nil as before.
        var search: PeerSearch?
        /// When to decide again; nil when something happens.
        var next: UInt64?
        /// Whether some are to be dialled although there are enough links.
        var explores = false
    }

    private var phase = Phase.glancing(0)
    private var began: UInt64 = 0
    /// Whether an answer to the question of the beginning is awaited.
    private var isAsking = false
    /// How many services are seen.
    private var count = 0
    private var askAt = UInt64.max
    /// When a node without a link asks again, where it is known to have none, and how often it has.
    private var aloneAt: UInt64?
    private var asksAlone = 0

    /// The node starts, or its network is another one.
    mutating func begin(at now: UInt64) -> Decision {
        self.phase = .glancing(0)
        self.isAsking = true
        self.began = now
        self.askAt = .max
        self.aloneAt = nil
        self.asksAlone = 0
        return Decision(search: .ask, next: now + Limits.glanceMilliseconds[0])
    }

    /// A link has ended: its peer may come back, announced anew.
    mutating func missed(at now: UInt64) -> Decision {
        guard self.phase == .resting else { return Decision() }
        self.began = now
        self.phase = .glancing(0)
        return Decision(next: now + Limits.glanceMilliseconds[0])
    }

    /// So many services are seen now.
    ///
    /// Of a crowd the rest is heard without a question: a search that has come upon one ends at once, or
    /// it would ask again, or only now where the machine is slow, together with all others.
    mutating func saw(_ count: Int, at now: UInt64) -> Decision {
        self.count = count
        guard count >= Limits.crowd else { return Decision() }
        if self.phase == .open { return self.rest(at: now) }
        guard self.isAsking else { return Decision() }
        self.isAsking = false
        return Decision(search: .rest, next: now + Limits.answersMilliseconds)
    }

    /// The moment has come that was asked for; there are places for links, or not, or no link at all.
    ///
    /// Where no link has come out of a crowd, it may be one that somebody invents, which nobody is to
    /// rest for: then a node asks again, ever less often.
    mutating func due(
        hasPlaces: Bool, isAlone: Bool, at now: UInt64,
        using random: inout some RandomNumberGenerator
    ) -> Decision {
        guard isAlone else {
            self.aloneAt = nil
            self.asksAlone = 0
            return self.due(hasPlaces: hasPlaces, at: now, using: &random)
        }
        let wait = Limits.askAloneMilliseconds << UInt64(max(0, self.asksAlone - 3))
        let alone = self.aloneAt ?? now + Self.around(wait, using: &random)
        self.aloneAt = alone
        guard self.count >= Limits.crowd, self.phase != .open, now >= alone else {
            var decision = self.due(hasPlaces: hasPlaces, at: now, using: &random)
            // Among few it is over, and there is nothing to come back for.
            if alone > now { decision.next = decision.next.map { min($0, alone) } }
            return decision
        }
        self.asksAlone = min(self.asksAlone + 1, 8)
        self.aloneAt = now + Self.around(wait, using: &random)
        self.isAsking = true
        return Decision(search: .ask, next: self.aloneAt)
    }

    private mutating func due(
        hasPlaces: Bool, at now: UInt64, using random: inout some RandomNumberGenerator
    ) -> Decision {
        switch self.phase {
        case .open: return Decision()
        case .glancing(let number):
            self.isAsking = false
            if now >= self.began + Limits.fewMilliseconds, self.count < Limits.crowd {
                return self.open()
            }
            guard
                let next = (number..<Limits.glanceMilliseconds.count).first(where: {
                    self.began + Limits.glanceMilliseconds[$0] > now
                })
            else { return self.rest(at: now) }
            self.phase = .glancing(next)
            return Decision(
                search: .glance, next: self.began + Limits.glanceMilliseconds[next])
        case .resting:
            if self.count < Limits.crowd { return self.open() }
            let next = now + Self.around(Limits.glanceAgainMilliseconds, using: &random)
            guard hasPlaces else { return Decision(next: next) }
            if self.askAt == .max {
                let wait = min(
                    UInt64(self.count) * Limits.askAgainMilliseconds, Limits.askLastMilliseconds)
                self.askAt = now + Self.around(wait, using: &random)
            }
            guard now >= self.askAt else {
                return Decision(search: .glance, next: min(next, self.askAt))
            }
            self.askAt = .max
            self.isAsking = true
            return Decision(search: .ask, next: next, explores: true)
        }
    }

    private mutating func open() -> Decision {
        self.phase = .open
        return Decision(search: .open)
    }

    private mutating func rest(at now: UInt64) -> Decision {
        self.phase = .resting
        return Decision(search: .rest, next: now + Limits.glanceAgainMilliseconds)
    }

    /// From a half to one and a half of a time, so that those who began together part.
    private static func around(
        _ wait: UInt64, using random: inout some RandomNumberGenerator
    ) -> UInt64 {
        wait / 2 + UInt64.random(in: 0...wait, using: &random)
    }
}
