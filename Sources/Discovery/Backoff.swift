/// How long to wait before the next attempt: doubling from a second to a minute.
struct Backoff {
    private static let longestMilliseconds: UInt64 = 60_000
    private var nextMilliseconds: UInt64 = 1_000

    /// The wait before the next attempt, up to a quarter longer by chance, so that nodes that
    /// failed together do not try together.
    mutating func next() -> UInt64 {
        let delay = self.nextMilliseconds
        self.nextMilliseconds = min(delay * 2, Backoff.longestMilliseconds)
        return delay + UInt64.random(in: 0...delay / 4)
    }

    /// Starts over after a success.
    mutating func reset() {
        self = Backoff()
    }
}
