package import Formats

/// Messages of somebody that exist, and that are not here.
package struct MissingEntries: Hashable, Sendable {
    /// Who wrote them.
    package var author: PeerID
    package var count: UInt64
    /// The number of the last of them in its log.
    package var last: UInt64
    /// Who says to have them; nobody where their author has signed a later one, and whoever brought that is gone.
    package var holders: Set<PeerID>

    /// The number of the last one before them, which moves as they come.
    var here: UInt64 { self.last - self.count }
}

/// Gathers what there is beyond what is here, log by log.
///
/// What a stranger claims counts as little as anything it says: `Docs/Protocol/Sync.md` section 10.
struct MissingTally: Sendable {
    private var found: [PeerID: MissingEntries] = [:]

    var isEmpty: Bool { self.found.isEmpty }
    var authors: [PeerID] { Array(self.found.keys) }

    /// What is missing: of those first who come first, then most first.
    func all(first: (PeerID) -> Bool) -> [MissingEntries] {
        let ranks = self.found.mapValues { first($0.author) ? 0 : 1 }
        return self.found.values.sorted {
            (ranks[$0.author, default: 1], $1.count, $0.author)
                < (ranks[$1.author, default: 1], $0.count, $1.author)
        }
    }

    /// There are entries of a log up to a number that are not here, and somebody has them.
    mutating func add(
        through last: UInt64, of name: LogName, _ log: LogProgress, at holder: PeerID?
    ) {
        // Of a log with two histories nobody knows how much there is to be.
        let count = log.forkPoint == nil ? log.lacking(through: last) : 0
        guard count > 0 else { return }
        var entry =
            self.found[name.author]
            ?? MissingEntries(author: name.author, count: 0, last: 0, holders: [])
        if count > entry.count { (entry.count, entry.last) = (count, last) }
        if let holder { entry.holders.insert(holder) }
        self.found[name.author] = entry
    }
}
