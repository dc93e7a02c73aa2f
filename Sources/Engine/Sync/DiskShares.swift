internal import Formats

/// How much of the disk messages may take, of those whom the user has not chosen, in bytes.
package struct DiskBounds: Hashable, Sendable {
    /// Of strangers together.
    package let ofStrangers: UInt64
    /// Of those together who share a realm with a secret, or are in a conversation with one.
    package let ofFellows: UInt64

    /// Shares of what all messages may take: a quarter for strangers and a half for fellows, so that
    /// there is room for people whom the user knows whatever these do.
    ///
    /// - Parameter all: nil for any number of bytes.
    package init(all: UInt64? = nil) {
        self.ofStrangers = Self.share(of: all, Limits.ofStrangers)
        self.ofFellows = Self.share(of: all, Limits.ofFellows)
    }

    private static func share(of all: UInt64?, _ budget: TierBudget) -> UInt64 {
        all.map { $0 / 4 * budget.diskQuarters + $0 % 4 * budget.diskQuarters / 4 } ?? .max
    }
}

/// Whose logs give way where those whom the user has not chosen have written more than is kept of them.
///
/// It adds up what all logs take, and looks at whose they are only where that may matter: who is trusted
/// how far changes, and is not kept with each log. `Docs/Decisions/0021-who-gives-way.md`.
struct DiskShares: Sendable {
    /// A log, and what is known of it that matters here.
    struct Claim: Sendable {
        var key: LogKey
        var tier: Tier
        /// From where it came; nil where that is not known.
        var source: Source?
        var bytes: UInt64
        /// Whether its author is proven to have signed two histories there.
        var isForked = false
    }

    /// Those who are trusted as far, and have one share together.
    private enum Group: CaseIterable {
        case strangers
        case fellows

        init?(_ tier: Tier) {
            switch tier {
            case .blocked, .stranger: self = .strangers
            case .fellow: self = .fellows
            case .known, .verified, .own: return nil
            }
        }
    }

    /// What each log takes: here, since a message changes one, and to look into the table of a
    /// conversation costs an allocation.
    private var sizes: [LogKey: UInt64] = [:]
    /// What all logs take.
    private var total: UInt64 = 0
    /// From which total on it is looked again.
    private var lookFrom: UInt64 = 0
    /// Those that are to give way, the next one last.
    private var victims: [LogKey] = []
    /// Which source has most of a share of which three quarters are taken.
    private var largest: [Group: Source?] = [:]

    /// Shares are summed up anew after at most so many bytes more, and at least so many.
    private static let step: ClosedRange<UInt64> = 65_536...67_108_864

    /// Who has no more than this is not to give way to those who begin.
    private static let spared = 32_768

    /// A log takes so much from here on.
    mutating func note(_ size: LogSize) {
        self.total += size.bytes
        self.total -= self.sizes.updateValue(size.bytes, forKey: size.key) ?? 0
    }

    /// A log is not here any longer.
    mutating func remove(_ key: LogKey) { self.total -= self.sizes.removeValue(forKey: key) ?? 0 }

    /// What logs of strangers and of fellows take.
    static func use(_ claims: [Claim]) -> (strangers: UInt64, fellows: UInt64) {
        var use: (strangers: UInt64, fellows: UInt64) = (0, 0)
        for claim in claims {
            switch Group(claim.tier) {
            case .strangers?: use.strangers += claim.bytes
            case .fellows?: use.fellows += claim.bytes
            case nil: break
            }
        }
        return use
    }

    func bytes(of key: LogKey) -> UInt64 { self.sizes[key] ?? 0 }

    /// Somebody is trusted more, or less: what each has is to be summed up anew.
    mutating func forget() { (self.lookFrom, self.victims) = (0, []) }

    /// Keeps those that are to give way, in their order, until their turn comes.
    mutating func wait(_ victims: [Claim]) { self.victims = victims.reversed().map(\.key) }

    /// Takes the next log that gives way, unless it is gone; nil where none is left.
    mutating func nextVictim() -> LogKey? {
        while let key = self.victims.popLast() {
            if self.sizes[key] != nil { return key }
        }
        return nil
    }

    /// Whether those whom the user has not chosen may have too much.
    func isLookDue(_ bounds: DiskBounds) -> Bool {
        self.victims.isEmpty && self.total > min(bounds.ofStrangers, bounds.ofFellows) / 4 * 3
            && self.total >= self.lookFrom
    }

    /// Notes what a batch has made of the logs' sizes; whether it is to be looked at who has too much.
    mutating func settle(_ sizes: [LogSize], within bounds: DiskBounds) -> Bool {
        for size in sizes { self.note(size) }
        return self.isLookDue(bounds)
    }

    /// Has those logs wait for their end that are to give way; gives what people are told.
    mutating func look(_ claims: [Claim], within bounds: DiskBounds) -> [String] {
        let victims = self.giveWay(claims, bounds)
        self.wait(victims)
        // The lower tier gives way first, and is told of last: one alert stands for both.
        return [true, false].compactMap { isFellow in
            victims.first { ($0.tier == .fellow) == isFellow }.map { Self.text(of: $0, bounds) }
        }
    }

    private static func text(of claim: Claim, _ bounds: DiskBounds) -> String {
        let isFellow = claim.tier == .fellow
        let bound = isFellow ? bounds.ofFellows : bounds.ofStrangers
        let source = claim.source.map { ", beginning with those from \($0)" } ?? ""
        return "\(isFellow ? "fellows" : "strangers") have filled their share of the disk "
            + "(\(bound >> 10) KiB, by DiskLimit=): their largest logs are deleted from this disk"
            + "\(source) and not accepted again; those of contacts are kept (stoa people add)"
    }

    /// Whether a log that begins is not taken: it would be the next one to give way, for ever.
    func refuses(_ tier: Tier, from source: Source?) -> Bool {
        Group(tier).flatMap { self.largest[$0] } == .some(source)
    }

    /// The claims of those who have one share; each is numbered by its place among them.
    private static func shares(_ claims: [Claim]) -> FairShare<LogKey> {
        FairShare(
            claims.enumerated().map { place, claim in
                FairShare.Claim(
                    key: claim.key, tier: max(claim.tier, .stranger), source: claim.source,
                    author: claim.key.name.author, isForked: claim.isForked,
                    weight: Int(clamping: claim.bytes), number: Int64(place))
            })
    }

    /// Which logs give way, by whom the user trusts least; none where each tier is within its bound.
    ///
    /// Each claim says all that is noted of its log, and the claims are of all logs. The bytes of those
    /// that give way count until ``remove(_:)``.
    ///
    /// Down to seven eighths of the bound: of the source with most bytes the author with most loses the
    /// largest log, but authors of forked logs come first, and those logs of theirs: proofs are the largest that
    /// anybody can have stored, and who wrote one history is not to go for them. Sources cost something, authors do not.
    mutating func giveWay(_ claims: [Claim], _ bounds: DiskBounds) -> [Claim] {
        // Of all that was noted only this counts: what of a conversation is not here can give nothing way.
        self.sizes = Dictionary(claims.map { ($0.key, $0.bytes) }) { $1 }
        self.total = self.sizes.values.reduce(0, +)
        self.largest = [:]
        var victims: [Claim] = []
        var (left, kept) = (Self.step.upperBound, self.total)
        for (group, bound) in [
            (Group.strangers, bounds.ofStrangers), (.fellows, bounds.ofFellows),
        ] {
            let claims = claims.filter { Group($0.tier) == group }.sorted { $0.key < $1.key }
            let bound = Int(clamping: bound)
            var shares = Self.shares(claims)
            if shares.total > bound {
                for gone in shares.giveWay(downTo: bound / 8 * 7) {
                    let claim = claims[Int(gone.number)]
                    victims.append(claim)
                    kept -= claim.bytes
                }
            }
            // Somebody with much gives way to who begins, though the same neighbour brings both.
            if shares.total > bound / 4 * 3, let largest = shares.largest,
                largest.mostOfAuthor <= Self.spared
            {
                self.largest[group] = .some(largest.source)
            }
            left = min(left, UInt64(bound - min(bound, shares.total)))
        }
        // A look goes over all logs, so some part of a share has to come in between.
        let least = max(Self.step.lowerBound, min(bounds.ofStrangers, bounds.ofFellows) / 64)
        self.lookFrom = kept + min(Self.step.upperBound, max(least, left / 2))
        return victims
    }
}
