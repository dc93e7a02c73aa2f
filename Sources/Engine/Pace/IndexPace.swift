/// Decides how much is indexed at a time: little while messages keep coming, which is for those who write
/// and read them, and all of it once they pause or somebody waits to search.
package struct IndexPace {
    /// A batch so long ago means that more are coming; also how often what came meanwhile is looked at.
    package static let pauseMilliseconds: UInt64 = 1_000
    /// How long is indexed meanwhile, of each of these pauses.
    package static let passMilliseconds: UInt64 = 20

    private var committedAt: UInt64?
    private var passBeganAt: UInt64 = 0

    package init() {}

    /// Notes that a batch has been stored.
    package mutating func committed(at now: UInt64) { self.committedAt = now }

    /// Notes that indexing begins, or begins again.
    package mutating func beginPass(at now: UInt64) { self.passBeganAt = now }

    /// Whether indexing goes on with the next page, or ends until the next pass.
    ///
    /// A pass begins with what is to be taken out, which must not wait until all is in, however much that is.
    package func goesOn(at now: UInt64, isAwaited: Bool, hasRemovals: Bool = false) -> Bool {
        if hasRemovals, now >= self.passBeganAt + Self.pauseMilliseconds { return false }
        let isBusy = self.committedAt.map { now < $0 + Self.pauseMilliseconds } ?? false
        return isAwaited || !isBusy || now < self.passBeganAt + Self.passMilliseconds
    }
}
