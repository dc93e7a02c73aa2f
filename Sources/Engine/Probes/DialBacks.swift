internal import Formats

/// Peers that ask to be dialled back, so that they learn whether they can be reached.
///
/// Nobody can have this node dial others: only the host that an asker's own link comes from is
/// dialled, with the asker's key pinned, no port that a system keeps for itself, once in 20
/// seconds per link and six times a minute over all. `Docs/Protocol/Wire.md`, "Dial back".
struct DialBacks: Sendable {
    private var bucket = TokenBucket(
        capacity: Limits.dialBacksPerMinute, fullMilliseconds: 60_000)
    /// When each open link asked last.
    private var asked: [LinkID: UInt64] = [:]
    private var underWay: [DialID: LinkID] = [:]

    /// The address to dial for the peer of a link, which is at `address`; nil where none may be.
    mutating func ask(_ port: UInt16, _ link: LinkID, at address: String, _ now: Instant) -> String?
    {
        guard port >= Limits.dialBackPort, let colon = address.lastIndex(of: ":") else {
            return nil
        }
        if let last = self.asked[link],
            now.monotonic - last < Limits.dialBackMilliseconds
        {
            return nil
        }
        guard self.bucket.take(at: now.monotonic) else { return nil }
        self.asked[link] = now.monotonic
        return "\(address[..<colon]):\(port)"
    }

    /// Notes a dial that was begun for a link.
    mutating func began(_ dial: DialID, for link: LinkID) { self.underWay[dial] = link }

    /// A dial has ended; gives the link that had asked for it, nil for any other dial.
    mutating func ended(_ dial: DialID) -> LinkID? { self.underWay.removeValue(forKey: dial) }

    /// A link has ended.
    mutating func forget(_ link: LinkID) { self.asked[link] = nil }
}

extension DialBackOutcome {
    /// What a failed dial says.
    init(_ failure: DialFailure) {
        self =
            switch failure.reason {
            case .refused, .wrongKey, .wrongRealm, .ownAddress, .rejected: .refused
            case .noRoute, .otherNetwork, .timedOut, .failed: .noAnswer
            }
    }
}
