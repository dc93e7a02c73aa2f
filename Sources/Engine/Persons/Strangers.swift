internal import Formats

/// Which strangers are remembered: keys cost nothing, so all of them together have a bound.
///
/// Nobody else is counted: not whom the user knows, not fellows, not the authors of what is stored. Of
/// the strangers those of the source with most of them give way, and of these who was seen least
/// recently: so a flood from one host, or from some, forgets its own keys and no others.
struct Strangers: Sendable {
    /// What is remembered of somebody, as far as it decides who gives way.
    struct Remembered: Hashable, Sendable {
        var peer: PeerID
        /// Where it was linked; nil where that is not known, which counts as one source.
        var source: Source?
        /// When it was linked last, wall-clock milliseconds.
        var lastSeen: UInt64
        /// Whether it is linked now, and stays.
        var isLinked = false
    }

    /// How many are kept when some have given way: so that it is not looked for at each link.
    static let kept = Limits.strangers - Limits.strangers / 16

    /// How much may be remembered before somebody may have to give way.
    private var next = Limits.strangers

    /// Whether it is time to see who gives way.
    ///
    /// - Parameter count: of all that is remembered; each stranger counts at least once.
    func isDue(_ count: Int) -> Bool { count > self.next }

    /// Says who gives way.
    ///
    /// - Parameters:
    ///   - strangers: all of them.
    ///   - count: what ``isDue(_:)`` was asked with.
    mutating func giveWay(_ strangers: [Remembered], count: Int) -> [PeerID] {
        guard strangers.count > Limits.strangers else {
            self.next = count + Limits.strangers - strangers.count
            return []
        }
        self.next = count
        return Self.superfluous(strangers, limit: Self.kept)
    }

    /// Who is too many, where so many may stay.
    static func superfluous(_ strangers: [Remembered], limit: Int) -> [PeerID] {
        var sources = Dictionary(grouping: strangers, by: \.source).mapValues { peers in
            // Who stays comes first.
            peers.sorted {
                ($1.isLinked ? 1 : 0, $1.lastSeen, $0.peer) < (
                    $0.isLinked ? 1 : 0, $0.lastSeen, $1.peer
                )
            }
        }
        var superfluous: [PeerID] = []
        // As many of each source as fit, so that those with most lose most.
        let share = max(
            1, FairShare<PeerID>.level(of: sources.values.map(\.count), within: limit))
        for (source, peers) in sources where peers.count > share {
            superfluous += peers[share...].filter { !$0.isLinked }.map(\.peer)
            sources[source] = Array(peers[..<share])
        }
        // More sources than may stay: of these who was seen least recently.
        let rest = sources.values.joined().filter { !$0.isLinked }
        let over = strangers.count - superfluous.count - limit
        if share == 1, over > 0 {
            superfluous += rest.sorted { ($0.lastSeen, $0.peer) < ($1.lastSeen, $1.peer) }
                .prefix(over).map(\.peer)
        }
        return superfluous.sorted()
    }
}
