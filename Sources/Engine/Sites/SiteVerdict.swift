package import Formats

/// What has become of an item that a site has brought.
package enum SiteVerdict: Hashable, Sendable {
    /// It is on the disk.
    case taken
    /// It says nothing that is not here.
    case known
    /// What is before it is missing: it is to be brought again behind that.
    case waits(for: SiteItem.Name)
    /// Somebody asks for what has vanished from the servers: it is looked for.
    case asks(SiteAsk)
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

/// Where what is said in a conversation goes.
package struct SitePlace: Hashable, Sendable {
    package enum Sort: Hashable, Sendable { case room, direct, group }

    /// What names and seals it; of a group what is no run and no act.
    package var root: SiteRoot
    package var scope: SiteScope
    package var sort: Sort

    /// Whether it may come to be shared after what was said in it.
    package var isLate: Bool { self.sort != .room }
}

/// What sites have brought and is on its way to the disk, by who waits for it.
struct SiteImports: Sendable {
    private struct Waiting: Sendable {
        var runs: Int
        /// Parts of files that are being checked, and which of the verdicts is theirs.
        var parts: [SitePart.Name: Int]
        var verdicts: [SiteVerdict]
        /// Whether something of it goes to the disk with the next batch.
        let isForDisk: Bool

        var isOver: Bool { self.runs <= 0 && self.parts.isEmpty }
    }

    private var open: [RequestID: Waiting] = [:]

    mutating func begin(
        _ request: RequestID, runs: Int, parts: [SitePart.Name: Int] = [:],
        _ verdicts: [SiteVerdict]
    ) {
        self.open[request] = Waiting(
            runs: runs, parts: parts, verdicts: verdicts, isForDisk: verdicts.contains(.taken))
    }

    /// A run is on the disk, or will never be.
    mutating func settleRun(of request: RequestID) { self.open[request]?.runs -= 1 }

    /// What is to be answered where nothing is on its way any more.
    mutating func end(_ request: RequestID) -> (verdicts: [SiteVerdict], isForDisk: Bool)? {
        guard let waiting = self.open[request], waiting.isOver else { return nil }
        self.open[request] = nil
        return (waiting.verdicts, waiting.isForDisk)
    }

    /// A part was checked: gives who waits for it.
    mutating func settle(_ name: SitePart.Name, as verdict: SiteVerdict) -> [RequestID] {
        self.settle(verdict) { $0 == name }
    }

    /// Parts of a file could not be stored: gives who waits for them.
    mutating func settle(_ blob: BlobID, as verdict: SiteVerdict) -> [RequestID] {
        self.settle(verdict) { $0.blob == blob }
    }

    private mutating func settle(
        _ verdict: SiteVerdict, where isMeant: (SitePart.Name) -> Bool
    ) -> [RequestID] {
        var settled: [RequestID] = []
        for request in self.open.keys.sorted() {
            for (name, place) in self.open[request]?.parts ?? [:] where isMeant(name) {
                self.open[request]?.parts[name] = nil
                self.open[request]?.verdicts[place] = verdict
                settled.append(request)
            }
        }
        return settled
    }

    /// The disk has taken nothing of it: who waited.
    mutating func fail() -> [RequestID] {
        let failed = self.open.filter { $0.value.runs > 0 }.keys.sorted()
        for request in failed { self.open[request] = nil }
        return failed
    }
}
