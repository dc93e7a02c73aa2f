internal import Engine

/// What is older than the user keeps it goes, a while after it is.
extension NodeShell {
    /// How often that is looked at: days are kept, so an hour more is nothing.
    private static let retentionMilliseconds: UInt64 = 3_600_000

    /// Has what is older than is kept go from the disk, now and every hour while anything is kept for a
    /// time only.
    func expireOld() {
        let bounds = self.node?.ask { $0.retentionBounds(at: self.now.wall) } ?? [:]
        for (id, moment) in bounds.sorted(by: { $0.key < $1.key }) {
            self.request(
                .expire(id, before: HybridTime(wallMilliseconds: moment)),
                PendingRequest(reply: nil))
        }
        guard !bounds.isEmpty, !self.isRetentionPlanned else { return }
        self.isRetentionPlanned = true
        self.after(Self.retentionMilliseconds) {
            self.isRetentionPlanned = false
            if self.phase == .running { self.expireOld() }
        }
    }
}
