internal import Formats

/// How often marks of one author in a conversation go: some in quick succession, since somebody may wait for each,
/// and in the long run one a while.
struct MarkPace: Hashable, Sendable {
    /// When one went last.
    private(set) var last: UInt64 = 0
    /// When none of those that went counts any more.
    private(set) var over: UInt64 = 0

    /// One goes, however often it may.
    mutating func note(at now: UInt64) { self.last = now }

    /// One goes that counts.
    mutating func take(at now: UInt64, each milliseconds: UInt64) {
        self.last = now
        let most = now + UInt64(Limits.marksAtOnce) * milliseconds
        self.over = min(most, max(now, self.over) + milliseconds)
    }

    /// When the next one may go; 0 where none has gone.
    ///
    /// - Parameter least: the least time between two.
    func next(each milliseconds: UInt64, least: UInt64) -> UInt64 {
        guard self.last > 0 else { return 0 }
        let counted = UInt64(Limits.marksAtOnce - 1) * milliseconds
        return max(self.last + least, self.over - min(self.over, counted))
    }
}
