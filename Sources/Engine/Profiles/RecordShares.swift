internal import Formats

/// How much records may take of strangers together, and as much of fellows, in bytes.
package struct RecordBounds: Hashable, Sendable {
    package var profiles = Limits.ofStrangers.profileBytes
    package var others = Limits.ofStrangers.recordBytes

    /// Those of ``Limits``.
    package init() {}
}

/// What records take, by author, and who has too much of them.
///
/// Keys cost nothing, and each may have some records: so those whom the user does not know have a bounded number
/// of bytes together, strangers and fellows each for themselves. Of more, who gives way by ``FairShare`` loses theirs.
struct RecordShares: Sendable {
    /// What the records of one tier may take, in bytes.
    let limit: Int
    private var holdings: [PeerID: Holding] = [:]
    /// What they take, whoever wrote them.
    private(set) var total = 0
    /// Who of a source would come to have as much is not taken for a while, since who had as much has given way.
    private var ceilings: [Tier: [Source?: Int]] = [:]
    /// When that ends, in monotonic milliseconds.
    private var ceilingsEnd: UInt64 = 0
    /// What they took when it was looked at last who gives way.
    private var lookedAt = 0
    private var lastNumber: Int64 = 0

    /// What one author has here.
    private struct Holding {
        var bytes = 0
        /// Whose first record came later has a greater number.
        var number: Int64
    }

    init(limit: Int) { self.limit = limit }

    /// The tiers that are bounded, each with the claims of those who count there.
    static func groups(
        _ claims: [FairShare<PeerID>.Claim]
    ) -> [(tier: Tier, claims: [FairShare<PeerID>.Claim])] {
        [.stranger, .fellow].map { tier in
            (tier, claims.filter { max($0.tier, .stranger) == tier })
        }
    }

    /// What an author has here takes so many bytes more, or fewer.
    mutating func note(_ change: Int, of author: PeerID) {
        self.total += change
        var holding = self.holdings[author] ?? Holding(number: self.lastNumber + 1)
        self.lastNumber = max(self.lastNumber, holding.number)
        holding.bytes += change
        precondition(holding.bytes >= 0, "only what is here goes")
        self.holdings[author] = holding.bytes == 0 ? nil : holding
        self.lookedAt = min(self.lookedAt, self.total)
        if self.total < self.limit / 4 * 3 { self.ceilings = [:] }
    }

    /// Whether there may be a tier that has too much; then it counts as looked at.
    mutating func isLookDue() -> Bool {
        // Not at each record of a flood that those have whom the user knows.
        guard self.total > self.limit, self.total > self.lookedAt + self.limit / 16 else {
            return false
        }
        self.lookedAt = self.total
        return true
    }

    /// Whether anybody may be refused now.
    func mayRefuse(at now: UInt64) -> Bool { !self.ceilings.isEmpty && now < self.ceilingsEnd }

    /// Whether an author would be the next to give way with so many bytes more; who is linked is not refused.
    func refuses(_ more: Int, of claim: FairShare<PeerID>.Claim, at now: UInt64) -> Bool {
        guard self.mayRefuse(at: now), !claim.comesFirst, claim.tier < .known,
            let ceiling = self.ceilings[max(claim.tier, .stranger)]?[claim.source]
        else { return false }
        return (self.holdings[claim.key]?.bytes ?? 0) + more >= ceiling
    }

    /// Who gives way of a tier whose authors have more together than is kept of them, down to seven eighths.
    ///
    /// - Parameter claims: of all of the tier; what each takes is filled in here.
    mutating func giveWay(
        _ claims: [FairShare<PeerID>.Claim], of tier: Tier, at now: UInt64
    ) -> [PeerID] {
        var shares = FairShare<PeerID>(
            claims.compactMap { claim in
                guard let holding = self.holdings[claim.key] else { return nil }
                var claim = claim
                (claim.weight, claim.number) = (holding.bytes, holding.number)
                return claim
            })
        guard shares.total > self.limit else { return [] }
        let gone = shares.giveWay(downTo: self.limit / 8 * 7)
        self.ceilings[tier] = Dictionary(gone.map { ($0.source, $0.weight) }, uniquingKeysWith: min)
        self.ceilingsEnd = now + Limits.recordRefusalMilliseconds
        return gone.map(\.key)
    }
}
