package import Formats

/// What has become of an item that a site has brought.
package enum SiteVerdict: Hashable, Sendable {
    /// It is on the disk.
    case taken
    /// It says nothing that is not here.
    case known
    /// What is before it is missing: it is to be brought again behind that.
    case waits(for: SiteItem.Name)
    /// It is not taken, and why.
    case refused(SiteRefusal)
}

/// Why an item of a site is not taken.
package enum SiteRefusal: String, Hashable, Sendable, CaseIterable {
    /// Nobody with the keys of the conversation has sealed it for this place.
    case unsealed
    /// The user is not in its conversation.
    case foreign
    /// Its author has not signed it so.
    case forged
    /// Its author has signed another history as well; a peer can prove it on a link.
    case forked
    /// There is no room for its log.
    case room
    /// Its clock is ahead, or its author has written nothing here.
    case early
}

/// Whose runs of a conversation go to other sites.
package enum SiteScope: Hashable, Sendable {
    /// The user's own alone: they have left it, and what they wrote before goes out all the same.
    case own
    case all
}

/// What sites have brought and is on its way to the disk, by who waits for it.
struct SiteImports: Sendable {
    private var open: [RequestID: (runs: Int, verdicts: [SiteVerdict])] = [:]

    mutating func begin(_ request: RequestID, runs: Int, _ verdicts: [SiteVerdict]) {
        self.open[request] = (runs, verdicts)
    }

    /// A run is on the disk, or will never be: what is to be answered where it was the last.
    mutating func end(_ request: RequestID) -> [SiteVerdict]? {
        guard let left = self.open[request]?.runs else { return nil }
        self.open[request]?.runs = left - 1
        return left > 1 ? nil : self.open.removeValue(forKey: request)?.verdicts
    }

    /// The disk has taken nothing of it: who waited.
    mutating func fail() -> [RequestID] {
        defer { self.open = [:] }
        return self.open.keys.sorted()
    }
}
