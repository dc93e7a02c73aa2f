package import Formats

/// What is to go in one pass over a conversation, the oldest first: of each share of its logs so many bytes at most.
package struct RetentionStep: Hashable, Sendable {
    /// To which share each log belongs, by its place in ``most``; of other logs nothing goes.
    package var shares: [LogName: Int]
    /// How many bytes may go of each share.
    package var most: [UInt64]

    /// Says what is to go.
    package init(shares: [LogName: Int], most: [UInt64]) {
        self.shares = shares
        self.most = most
    }
}

/// In which order what was said goes where a conversation takes more than is kept: whatever strangers write, it is
/// theirs that goes.
///
/// By tier, and there first of whoever is neither linked nor was answered. Among strangers, and among fellows, each
/// source loses what it has more than the others, and then all lose their oldest; of known people together the oldest
/// goes, and one's own last.
enum RetentionOrder {
    /// The passes that are made until no more is left than is kept.
    ///
    /// - Parameters:
    ///   - claims: of all logs, each with the bytes that may go of it.
    ///   - bytes: how many are kept.
    static func steps(_ claims: [FairShare<LogName>.Claim], above bytes: UInt64) -> [RetentionStep]
    {
        func bytesOf(_ claims: [FairShare<LogName>.Claim]) -> Int {
            claims.reduce(0) { $0 + $1.weight }
        }
        var excess = bytesOf(claims) - Int(clamping: bytes)
        var steps: [RetentionStep] = []
        let ranks = Dictionary(grouping: claims) {
            FairShare<LogName>.Rank(
                tier: $0.tier.shared, comesFirst: $0.tier < .known && $0.comesFirst)
        }
        for (rank, claims) in ranks.sorted(by: { $0.key < $1.key }) {
            let (all, sources) = (bytesOf(claims), Dictionary(grouping: claims, by: \.source))
            if rank.tier < .known, sources.count > 1, excess < all {
                steps.append(Self.level(sources.values.map { $0 }, down: max(0, excess)))
            }
            let names = claims.map { ($0.key, 0) }
            steps.append(
                RetentionStep(shares: Dictionary(names) { one, _ in one }, most: [.max]))
            excess -= min(max(0, excess), all)
        }
        return steps
    }

    /// Takes from those with most until all together have so many bytes fewer.
    private static func level(
        _ sources: [[FairShare<LogName>.Claim]], down bytes: Int
    ) -> RetentionStep {
        let sizes = sources.map { $0.reduce(0) { $0 + $1.weight } }
        let level = FairShare<LogName>.level(
            of: sizes, within: sizes.reduce(0, +) - bytes)
        var step = RetentionStep(shares: [:], most: [])
        for (claims, size) in zip(sources, sizes) where size > level {
            for claim in claims { step.shares[claim.key] = step.most.count }
            step.most.append(UInt64(size - level))
        }
        return step
    }
}
