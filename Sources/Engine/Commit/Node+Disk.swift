internal import Formats

/// What ``DiskShares`` decides is done here: how much of the disk those may have whom the user has not chosen.
///
/// `Docs/Decisions/0021-who-gives-way.md`.
extension Node {
    /// What a batch has made of the logs' sizes; where strangers or fellows have more than is kept of
    /// them, their largest logs give way.
    mutating func settleSizes(_ sizes: [LogSize]) {
        let bounds = self.own.configuration.diskBounds
        if self.conversations.diskShares.settle(sizes, within: bounds) {
            for text in self.conversations.diskShares.look(self.diskClaims, within: bounds) {
                self.raiseAlert(.diskShare, text, lasting: Limits.alertMilliseconds)
            }
        }
        // A few with each batch: the next is never far, since it takes these off the disk.
        for _ in 0..<Limits.victimsPerBatch {
            guard let key = self.conversations.diskShares.nextVictim() else { return }
            // Meanwhile it may be gone, or of somebody whom the user knows.
            guard self.conversations.hasLog(key), self.tier(of: key.name.author) <= .fellow else {
                continue
            }
            self.giveWayWithWaiting(key)
        }
    }

    /// A log gives way, and what of it waits for the disk: else whoever writes without a pause would never
    /// give way, and everybody else would.
    ///
    /// Nothing of it is being written, since a batch has just ended.
    private mutating func giveWayWithWaiting(_ key: LogKey) {
        let log = self.conversations.table[known: key.conversation].log(key.name)
        if log.tail != log.head {
            for accepted in self.disk.commits.drop(key) { self.returnCredit(for: accepted) }
        }
        self.giveWay(key)
    }

    /// What messages of strangers and of fellows take of the disk, about, in bytes.
    package var diskUse: (strangers: UInt64, fellows: UInt64) { DiskShares.use(self.diskClaims) }

    private var diskClaims: [DiskShares.Claim] {
        self.conversations.diskClaims(self.tiers(of: self.conversations.authors))
    }
}
