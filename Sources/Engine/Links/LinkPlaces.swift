/// Who gets one of the places for links, and whose it takes.
///
/// Keys cost nothing, so places are given by how far somebody is trusted, then by where they come from:
/// of equals, one of the source with most links gives way to a source with fewer. So whoever opens
/// links without end from one host, or a few, takes places from itself.
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
    static func hasPlace(beside count: Int) -> Bool {
        count < Limits.links - Limits.knownLinks - Limits.dialledLinks
    }

    /// Decides about a newcomer among the links that are open.
    static func verdict(for newcomer: Occupant, among links: [Occupant]) -> Verdict {
        // Known people have places of their own, and take those of others.
        if newcomer.tier >= .known {
            guard links.count >= Limits.links else { return .free }
            return Self.replacing(newcomer, among: links)
        }
        let others = links.filter { $0.tier < .known }
        let incoming = others.filter { !$0.isDialled }
        let limit = Limits.links - Limits.knownLinks
        // Dialling is this node's own choice: some places are left for that.
        if !newcomer.isDialled, incoming.count >= limit - Limits.dialledLinks {
            return Self.replacing(newcomer, among: incoming)
        }
        guard others.count >= limit || links.count >= Limits.links else { return .free }
        return Self.replacing(newcomer, among: others)
    }

    private static func replacing(_ newcomer: Occupant, among links: [Occupant]) -> Verdict {
        let lower = links.filter { link in
            #if MUTANTS
                if Mutant.evictKnown.isActive { return true }
            #endif
            return link.tier < newcomer.tier
        }
        if let victim = Self.newest(ofLargestSource: lower) { return .replaces(victim.link) }
        let equals = links.filter { $0.tier == newcomer.tier && $0.tier < .known }
        let own = equals.count { $0.source == newcomer.source }
        // It must have fewer than the other also with this one, or the two would change places for ever.
        guard let victim = Self.newest(ofLargestSource: equals),
            equals.count(where: { $0.source == victim.source }) > own + 1
        else { return .full }
        return .replaces(victim.link)
    }

    /// The link that has to go: of the lowest tier, there of the source with most links, there the
    /// newest that this node has not dialled.
    private static func newest(ofLargestSource links: [Occupant]) -> Occupant? {
        guard let lowest = links.map(\.tier).min() else { return nil }
        let lowestLinks = links.filter { $0.tier == lowest }
        let counts = Dictionary(grouping: lowestLinks, by: \.source).mapValues(\.count)
        return lowestLinks.max { left, right in
            let (one, other) = (counts[left.source] ?? 0, counts[right.source] ?? 0)
            guard one == other else { return one < other }
            guard left.source == right.source else { return left.source < right.source }
            guard left.isDialled == right.isDialled else { return left.isDialled }
            return left.link < right.link
        }
    }
}
