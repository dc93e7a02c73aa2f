internal import Formats

/// The ids of the newest own entries: who says to have one shows it by its head tag.
///
/// Written with every message and read hardly ever, so it is a row of runs that is searched.
struct RecentOwnIDs: Sendable {
    private struct Stretch: Sendable {
        var key: LogKey
        var first: UInt64
        var ids: [EntryID]
    }

    private var stretches: [Stretch] = []
    private var dropped = 0
    private(set) var count = 0

    /// A run of own entries is on disk.
    mutating func add(_ run: VerifiedRun) {
        self.stretches.append(Stretch(key: run.run.key, first: run.run.first, ids: run.ids))
        self.count += run.ids.count
        while self.count - self.stretches[self.dropped].ids.count >= Limits.recentOwnIDs {
            self.count -= self.stretches[self.dropped].ids.count
            self.dropped += 1
        }
        // What was dropped goes once it is the larger half, which keeps this linear.
        if self.dropped > 64, self.dropped * 2 > self.stretches.count {
            self.stretches.removeFirst(self.dropped)
            self.dropped = 0
        }
    }

    /// The number of an own entry; nil where it is not among the newest.
    func seq(of id: EntryID, in key: LogKey) -> UInt64? {
        for stretch in self.stretches[self.dropped...].reversed() where stretch.key == key {
            if let index = stretch.ids.firstIndex(of: id) { return stretch.first + UInt64(index) }
        }
        return nil
    }

    /// The id of an own entry; nil where it is not among the newest.
    func id(of seq: UInt64, in key: LogKey) -> EntryID? {
        let stretch = self.stretches[self.dropped...].last {
            $0.key == key && $0.first <= seq && seq < $0.first + UInt64($0.ids.count)
        }
        return stretch.map { $0.ids[Int(seq - $0.first)] }
    }
}
