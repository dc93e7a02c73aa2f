internal import Crypto
internal import Formats

/// Who gets one of the places for links, and whose it takes.
///
/// By ``FairShare``: whoever opens links without end from one host, or a few, takes places from itself. Where that
/// leaves no place, one goes to whoever shares a conversation that few links share: so a room of ten is one piece also
/// among a thousand hosts, of which nobody can be linked to all.
///
/// `Docs/Decisions/0039-links-are-found-by-trial.md`.
enum LinkPlaces {
    /// A link that is open, or is to be.
    struct Occupant: Hashable, Sendable {
        var link: LinkID
        /// Where the peer is.
        var source: Source
        /// How far it is trusted.
        var tier: Tier
        /// Whether this node has dialled.
        var isDialled: Bool
        /// How many links share the conversation of this one that fewest share; none counts as all there are.
        var fewestSharing = Int.max
    }

    /// What becomes of a newcomer.
    enum Verdict: Hashable, Sendable {
        /// There is a place.
        case free
        /// It takes the place of this one.
        case replaces(LinkID)
        /// There is none.
        case full
    }

    /// Whether there is a place for anybody beside so many links.
    static func hasPlace(beside count: Int, in budget: LinkBudget) -> Bool {
        count < budget.forAnybody - budget.dialled
    }

    /// Whether somebody without a place may say for a moment in which conversations it is.
    ///
    /// Of those who dial one of each source may, so that a few hosts leave some of these places to others,
    /// however many keys they have; what this node dials has places of its own.
    static func mayTry(_ newcomer: Occupant, beside trials: [Occupant]) -> Bool {
        let rivals = trials.filter { $0.isDialled == newcomer.isDialled }
        return rivals.count < Limits.trialLinks
            && (newcomer.isDialled || !rivals.contains { $0.source == newcomer.source })
    }

    /// Decides about a newcomer among the links that have a place.
    static func verdict(
        for newcomer: Occupant, among links: [Occupant], in budget: LinkBudget = LinkBudget()
    ) -> Verdict {
        #if MUTANTS
            if Mutant.evictKnown.isActive {
                func stranger(_ one: Occupant) -> Occupant {
                    var one = one
                    one.tier = .stranger
                    return one
                }
                let links = links.map(stranger)
                guard links.count >= budget.forAnybody else { return .free }
                return Self.replacing(stranger(newcomer), among: links)
            }
        #endif
        // Known people have places of their own, and take those of others.
        if newcomer.tier >= .known {
            guard links.count >= budget.links else { return .free }
            return Self.replacing(newcomer, among: links)
        }
        let others = links.filter { $0.tier < .known }
        let incoming = others.filter { !$0.isDialled }
        let limit = budget.forAnybody
        // Dialling is this node's own choice: some places are left for that.
        if !newcomer.isDialled, incoming.count >= limit - budget.dialled {
            return Self.replacing(newcomer, among: incoming)
        }
        guard others.count >= limit || links.count >= budget.links else { return .free }
        return Self.replacing(newcomer, among: others)
    }

    private static func replacing(_ newcomer: Occupant, among links: [Occupant]) -> Verdict {
        // Known people give way to nobody.
        let claims = links.filter { $0.tier < .known }.map(Self.claim)
        let gone = FairShare.room(for: Self.claim(newcomer), among: claims, within: claims.count)
        if let victim = gone?.first { return .replaces(victim.key) }
        let equals = links.filter { $0.tier == newcomer.tier && $0.tier < .known }
        let own = equals.count { $0.source == newcomer.source }
        // A conversation that few links share needs one more than one that many share. Twice as many, and for
        // each further link of a source as many again: so nobody changes places for ever, nor has many keys
        // for nothing.
        let (needed, isOver) = newcomer.fewestSharing.multipliedReportingOverflow(
            by: 2 * (own + 1))
        let idle = equals.filter { $0.fewestSharing > needed }
        guard !isOver, let most = idle.map(\.fewestSharing).max() else { return .full }
        var shares = FairShare(idle.filter { $0.fewestSharing == most }.map(Self.claim))
        return shares.next().map { .replaces($0.key) } ?? .full
    }

    /// Of a source the newest link goes that this node has not dialled.
    private static func claim(_ link: Occupant) -> FairShare<LinkID>.Claim {
        FairShare.Claim(
            key: link.link, tier: link.tier, source: link.source, author: PeerID(.zero),
            number: Int64(link.link.rawValue) - (link.isDialled ? 1 << 62 : 0))
    }
}
