internal import Formats

/// How much of the disk those may have whom the user has not chosen.
///
/// `Docs/Decisions/0021-who-gives-way.md`.
extension Node {
    private var bounds: DiskBounds { self.own.configuration.diskBounds }

    /// What a batch has made of the logs' sizes; where strangers or fellows have more than is kept of
    /// them, their largest logs give way.
    mutating func settleSizes(_ sizes: [LogSize]) {
        for size in sizes { self.diskShares.note(size) }
        if self.diskShares.isLookDue(self.bounds) {
            let victims = self.diskShares.giveWay(self.claims, self.bounds)
            self.diskShares.wait(victims)
            // The lower tier gives way first, and is told of last: one alert stands for both.
            for isFellow in [true, false] {
                if let first = victims.first(where: { ($0.tier == .fellow) == isFellow }) {
                    self.tellShare(first)
                }
            }
        }
        // A few with each batch: the next is never far, since it takes these off the disk.
        for _ in 0..<Limits.victimsPerBatch {
            guard let key = self.diskShares.nextVictim() else { return }
            // Meanwhile it may be gone, or of somebody whom the user knows.
            guard self.conversationTable.has(key.conversation),
                self.conversationTable[known: key.conversation].logs.has(key.name),
                self.tier(of: key.name.author) <= .fellow
            else { continue }
            self.giveWayWithWaiting(key)
        }
    }

    /// A log gives way, and what of it waits for the disk: else whoever writes without a pause would never
    /// give way, and everybody else would.
    ///
    /// Nothing of it is being written, since a batch has just ended.
    private mutating func giveWayWithWaiting(_ key: LogKey) {
        let log = self.conversationTable[known: key.conversation].log(key.name)
        if log.tail != log.head {
            for accepted in self.commits.drop(key) { self.returnCredit(for: accepted) }
        }
        self.giveWay(key)
    }

    /// What messages of strangers and of fellows take of the disk, about, in bytes.
    package var diskUse: (strangers: UInt64, fellows: UInt64) {
        var use: (strangers: UInt64, fellows: UInt64) = (0, 0)
        for claim in self.claims {
            switch claim.tier {
            case .blocked, .stranger: use.strangers += claim.bytes
            case .fellow: use.fellows += claim.bytes
            default: break
            }
        }
        return use
    }

    private var claims: [DiskShares.Claim] {
        var authors: Set<PeerID> = []
        for conversation in self.conversationTable.values {
            authors.formUnion(conversation.logs.keys.map(\.author))
        }
        let tiers = self.tiers(of: authors)
        var claims: [DiskShares.Claim] = []
        for (id, conversation) in self.conversationTable {
            for (name, log) in conversation.logs {
                let key = LogKey(conversation: id, name: name)
                claims.append(
                    DiskShares.Claim(
                        key: key, tier: tiers[name.author] ?? .stranger, source: log.charge.source,
                        bytes: self.diskShares.bytes(of: key), isForked: log.forkPoint != nil))
            }
        }
        return claims
    }

    private mutating func tellShare(_ claim: DiskShares.Claim) {
        let bound = claim.tier == .fellow ? self.bounds.ofFellows : self.bounds.ofStrangers
        let (who, source) = (
            claim.tier == .fellow ? "fellows" : "strangers",
            claim.source.map { ", beginning with those from \($0)" } ?? ""
        )
        self.raiseAlert(
            .diskShare,
            "\(who) have filled their share of the disk (\(bound >> 10) KiB, by DiskLimit=): "
                + "their largest logs are deleted from this disk\(source) and not accepted again; those of "
                + "contacts are kept (stoa people add)",
            lasting: Limits.alertMilliseconds)
    }
}
