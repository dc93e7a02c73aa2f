/// What records take, by author, and who has too much of them.
///
/// Keys cost nothing, and each may have some records: so those whom the user does not know have a bounded number
/// of bytes together, strangers and fellows each for themselves. Of more, who has most loses theirs.
struct RecordShares: Sendable {
    /// What the records of one tier may take, in bytes.
    let limit: Int
    private var bytes: [PeerID: Int] = [:]
    /// What they take, whoever wrote them.
    private(set) var total = 0
    /// Who would come to have as much is not taken, since who had as much has given way.
    private var ceilings: [Tier: Int] = [:]
    /// What they took when it was looked at last who gives way.
    private var lookedAt = 0

    init(limit: Int) { self.limit = limit }

    /// Who has written any.
    var authors: Dictionary<PeerID, Int>.Keys { self.bytes.keys }

    /// The tiers that are bounded, each with those who count there.
    static func groups(_ tiers: [PeerID: Tier]) -> [(tier: Tier, authors: [PeerID])] {
        [.stranger, .fellow].map { tier in
            (tier, tiers.filter { max($0.value, .stranger) == tier }.map(\.key))
        }
    }

    /// What an author has here takes so many bytes more, or fewer.
    mutating func note(_ change: Int, of author: PeerID) {
        self.total += change
        let bytes = self.bytes[author, default: 0] + change
        precondition(bytes >= 0, "only what is here goes")
        self.bytes[author] = bytes == 0 ? nil : bytes
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

    /// Whether somebody may have given way who had as much as an author has with so many bytes more.
    func mayRefuse(_ more: Int, of author: PeerID) -> Bool {
        !self.ceilings.isEmpty
            && self.ceilings.values.contains { self.bytes[author, default: 0] + more >= $0 }
    }

    /// Whether an author of a tier would be the next to give way with so many bytes more.
    func refuses(_ more: Int, of author: PeerID, _ tier: Tier) -> Bool {
        let ceiling = self.ceilings[max(tier, .stranger)] ?? .max
        return self.bytes[author, default: 0] + more >= ceiling
    }

    /// Who gives way of a tier whose authors have more together than is kept of them, down to seven eighths:
    /// those with most.
    mutating func giveWay(_ authors: [PeerID], of tier: Tier) -> [PeerID] {
        let claims = authors.map { (bytes: self.bytes[$0, default: 0], author: $0) }
        var left = claims.reduce(0) { $0 + $1.bytes }
        guard left > self.limit else { return [] }
        var gone: [PeerID] = []
        for claim in claims.sorted(by: { ($1.bytes, $0.author) < ($0.bytes, $1.author) })
        where left > self.limit / 8 * 7 {
            left -= claim.bytes
            self.ceilings[tier] = claim.bytes
            gone.append(claim.author)
        }
        return gone
    }
}
