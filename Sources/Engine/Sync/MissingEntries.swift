package import Formats

/// Messages of somebody that others say to have, and that are not here.
package struct MissingEntries: Hashable, Sendable {
    /// Who wrote them.
    package var author: PeerID
    package var count: UInt64
    /// Who says to have them.
    package var holders: Set<PeerID>
}

/// Gathers what members say to have, log by log, beyond what is here.
///
/// What a stranger claims counts as little as anything it says: `Docs/Protocol/Sync.md` section 10.
struct MissingTally: Sendable {
    private var found: [PeerID: MissingEntries] = [:]

    /// What is missing, most first.
    var all: [MissingEntries] {
        self.found.values.sorted { ($1.count, $0.author) < ($0.count, $1.author) }
    }

    /// Somebody has so many entries of a log that are not here.
    mutating func add(_ count: UInt64, of author: PeerID, at holder: PeerID) {
        guard count > 0 else { return }
        var entry = self.found[author] ?? MissingEntries(author: author, count: 0, holders: [])
        entry.count = max(entry.count, count)
        entry.holders.insert(holder)
        self.found[author] = entry
    }
}
