/// How much of the disk those may have whom the user has not chosen.
///
/// `Docs/Decisions/0034-the-disk-is-shared-by-tier.md`.
extension Node {
    private var bounds: DiskBounds { self.own.configuration.diskBounds }

    /// What a batch has made of the logs' sizes; where strangers or fellows have more than is kept of
    /// them, their largest logs give way.
    mutating func settleSizes(_ sizes: [LogSize]) {
        for size in sizes { self.diskShares.note(size) }
        guard self.diskShares.isLookDue(self.bounds) else { return }
        let claims = self.claims
        let victims = self.diskShares.giveWay(claims, self.bounds)
        for victim in victims {
            // What of it waits goes too: else whoever writes without a pause would never give way, and
            // everybody else would. Nothing of it is being written, since a batch has just ended.
            let log = self.conversationTable[known: victim.key.conversation].log(victim.key.name)
            if log.tail != log.head {
                for accepted in self.commits.drop(victim.key) { self.returnCredit(for: accepted) }
            }
            self.giveWay(victim.key)
        }
        // The lower tier has given way first, and is told of last: one alert stands for both.
        for isFellow in [true, false] {
            if let first = victims.first(where: { ($0.tier == .fellow) == isFellow }) {
                self.tellShare(first)
            }
        }
    }

    /// What messages of strangers and of fellows take of the disk, about, in bytes.
    public var diskUse: (strangers: UInt64, fellows: UInt64) {
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
                        bytes: self.diskShares.bytes(of: key)))
            }
        }
        return claims
    }

    private mutating func tellShare(_ claim: DiskShares.Claim) {
        let bound = claim.tier == .fellow ? self.bounds.ofFellows : self.bounds.ofStrangers
        let (who, source) = (
            claim.tier == .fellow ? "fellows" : "strangers",
            claim.source.map { ", of those that came from \($0)" } ?? ""
        )
        self.raiseAlert(
            .diskShare,
            "\(who) have written more than is kept of them (\(bound >> 10) KiB, by DiskLimit=): "
                + "their largest logs are taken off the disk\(source), and not taken again; whoever "
                + "you know is kept (stoa people add)",
            lasting: Limits.alertMilliseconds)
    }
}
