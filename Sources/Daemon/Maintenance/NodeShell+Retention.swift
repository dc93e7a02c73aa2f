internal import Engine
internal import Formats

/// What is more or older than the user keeps goes, a while after it is.
extension NodeShell {
    /// How often that is looked at: days are kept, so an hour more is nothing.
    private static let retentionMilliseconds: UInt64 = 3_600_000

    /// Has what is more or older than is kept go from the disk, now and every hour while there is a bound
    /// to anything.
    func expireOld() {
        let bounds = self.node.ask { $0.retentionBounds(at: self.now.wall) }
        for (id, bound) in bounds {
            self.request(.expire(id, bound))
        }
        guard !bounds.isEmpty, self.upkeep.planRetention() else { return }
        self.after(Self.retentionMilliseconds) {
            self.upkeep.retentionDue()
            if self.life.isRunning { self.expireOld() }
        }
    }
}
