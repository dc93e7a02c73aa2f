internal import Formats

/// Peers and hosts on the way to which large packets are lost, for a while: they are dialled with small ones.
///
/// By host, since others may run there; by peer, since it may have several addresses.
struct NarrowPaths: Sendable {
    enum Key: Hashable, Comparable, Sendable {
        case peer(PeerID)
        case host(Source)
    }

    private struct Mark: Sendable {
        var until: UInt64
        var tier: Tier
    }

    private var marks: [Key: Mark] = [:]

    /// Notes a link on which they are lost; gives whether nothing was known of its peer.
    ///
    /// Where there is no room, what came last of those who are trusted least gives way.
    mutating func note(_ peer: PeerID, _ address: String, _ tier: Tier, at now: Instant) -> Bool {
        self.marks = self.marks.filter { $0.value.until > now.monotonic }
        let isNews = self.marks[.peer(peer)] == nil
        for key in [Key.peer(peer), .host(Source(address))] {
            self.marks[key] = Mark(
                until: now.monotonic + Limits.narrowMilliseconds,
                tier: max(tier, self.marks[key]?.tier ?? tier))
        }
        while self.marks.count > Limits.narrowPaths, let last = self.last { self.marks[last] = nil }
        return isNews && self.marks[.peer(peer)] != nil
    }

    private var last: Key? {
        self.marks.min {
            ($0.value.tier.rawValue, $1.value.until, $0.key)
                < ($1.value.tier.rawValue, $0.value.until, $1.key)
        }?.key
    }

    /// Whether a peer is dialled with small packets, or whoever is at an address.
    func has(_ peers: [PeerID?], _ address: String, at now: Instant) -> Bool {
        guard !self.marks.isEmpty else { return false }
        let keys = peers.compactMap { $0.map { Key.peer($0) } } + [.host(Source(address))]
        return keys.contains { key in self.marks[key].map { $0.until > now.monotonic } ?? false }
    }
}
