/// So many things at once, and as many again in a stretch of time, evenly.
package struct TokenBucket: Hashable, Sendable {
    private let capacity: UInt64
    private let fullMilliseconds: UInt64
    /// What is left, in parts of a token: as many parts as milliseconds fill the bucket.
    private var level: UInt64
    /// The monotonic moment at which `level` was right, in milliseconds.
    private var since: UInt64

    /// Makes a full bucket of `capacity` tokens that, when empty, is full again after a time.
    ///
    /// Traps where either is zero; their product must fit 63 bits.
    package init(capacity: Int, fullMilliseconds: UInt64, at now: UInt64 = 0) {
        precondition(capacity > 0 && fullMilliseconds > 0, "a bucket holds and gains something")
        self.capacity = UInt64(capacity)
        self.fullMilliseconds = fullMilliseconds
        self.level = self.capacity * fullMilliseconds
        self.since = now
    }

    /// Takes tokens at a monotonic moment; false, and none taken, where there are not so many.
    ///
    /// A moment before the last one counts as that.
    package mutating func take(_ count: Int = 1, at now: UInt64) -> Bool {
        self.refill(at: now)
        guard let count = UInt64(exactly: count), count <= self.capacity,
            count * self.fullMilliseconds <= self.level
        else { return false }
        self.level -= count * self.fullMilliseconds
        return true
    }

    /// How many milliseconds from a moment there will be so many tokens, if nobody takes any; 0 where they
    /// are there.
    ///
    /// - Precondition: no more than it can hold.
    package func wait(for count: Int, at now: UInt64) -> UInt64 {
        precondition((0...Int(self.capacity)).contains(count), "a bucket never holds more")
        var bucket = self
        bucket.refill(at: now)
        let needed = UInt64(count) * bucket.fullMilliseconds
        guard needed > bucket.level else { return 0 }
        return (needed - bucket.level + bucket.capacity - 1) / bucket.capacity
    }

    /// Whether nothing is missing at a monotonic moment.
    package func isFull(at now: UInt64) -> Bool {
        var bucket = self
        bucket.refill(at: now)
        return bucket.level == self.capacity * self.fullMilliseconds
    }

    private mutating func refill(at now: UInt64) {
        guard now > self.since else { return }
        let gained = min(now - self.since, self.fullMilliseconds) * self.capacity
        self.level = min(self.level + gained, self.capacity * self.fullMilliseconds)
        self.since = now
    }
}
