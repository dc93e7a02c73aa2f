internal import Engine
public import Posix

/// Decides which connections from strangers may begin a handshake.
///
/// A stranger has proven nothing, so what one may cost is bounded before anything is read: the
/// number of handshakes at a time over all, where the oldest gives way, and a token bucket per
/// source address.
public struct Admission: Sendable {
    /// The bounds; the defaults are for a local network.
    public struct Bounds: Sendable {
        /// Half-open handshakes at a time.
        public var halfOpen = Limits.halfOpenHandshakes
        /// How old a handshake must be before a newer one may take its place.
        ///
        /// A real one takes milliseconds, so whoever is silent for longer loses nothing of worth.
        public var patienceMilliseconds: UInt64 = 500
        /// Connections that one source may open at once: a machine with many users starts.
        public var burst = 64
        /// Milliseconds until a source gets one more.
        public var refillMilliseconds: UInt64 = 125
        /// Sources that are remembered; one that has a full bucket need not be.
        public var sources = 1_024

        /// The usual bounds.
        public init() {}
    }

    /// What becomes of a connection.
    public enum Verdict: Hashable, Sendable {
        /// It may begin; say ``Admission/ended(_:)`` with its number when its handshake is over.
        ///
        /// With an `oldest`, that one is to be closed, and is counted as ended already.
        case admitted(number: UInt64, oldest: UInt64?)
        /// Too many handshakes are under way.
        case tooManyHandshakes
        /// This source opens connections too fast.
        case tooFast
    }

    private let bounds: Bounds
    private var buckets: [[UInt8]: TokenBucket] = [:]
    /// The admitted handshakes that are under way, oldest first, and when each began.
    private var halfOpen: [(number: UInt64, since: UInt64)] = []
    private var nextNumber: UInt64 = 1

    /// Begins with no connection.
    public init(bounds: Bounds = Bounds()) {
        self.bounds = bounds
    }

    /// Decides about a new connection at a monotonic moment in milliseconds.
    public mutating func admit(_ source: IPAddress, at now: UInt64) -> Verdict {
        var oldest: UInt64?
        if self.halfOpen.count >= self.bounds.halfOpen {
            guard let first = self.halfOpen.first,
                now - min(now, first.since) >= self.bounds.patienceMilliseconds
            else { return .tooManyHandshakes }
            oldest = first.number
        }
        let key = Self.key(source)
        var bucket = self.buckets[key] ?? self.fullBucket(at: now)
        guard bucket.take(at: now) else { return .tooFast }
        if self.buckets[key] == nil, self.buckets.count >= self.bounds.sources {
            self.forgetFullBuckets(at: now)
            // A flood from ever new addresses shares what is left rather than growing the table.
            guard self.buckets.count < self.bounds.sources else { return .tooFast }
        }
        self.buckets[key] = bucket
        if oldest != nil { self.halfOpen.removeFirst() }
        let number = self.nextNumber
        self.nextNumber += 1
        self.halfOpen.append((number, now))
        return .admitted(number: number, oldest: oldest)
    }

    /// Notes that an admitted handshake is over, however it ended; says nothing about one that is
    /// not counted any more.
    public mutating func ended(_ number: UInt64) {
        self.halfOpen.removeAll { $0.number == number }
    }

    private func fullBucket(at now: UInt64) -> TokenBucket {
        let refill = UInt64(self.bounds.burst) * self.bounds.refillMilliseconds
        return TokenBucket(capacity: self.bounds.burst, fullMilliseconds: refill, at: now)
    }

    private mutating func forgetFullBuckets(at now: UInt64) {
        self.buckets = self.buckets.filter { !$0.value.isFull(at: now) }
    }

    /// One host has all of an IPv6 network of 64 bits to choose from, so that counts as one source.
    private static func key(_ source: IPAddress) -> [UInt8] {
        let bytes = source.bytes
        guard source.isIPv6, !source.isLinkLocal, !source.isLoopback else { return bytes }
        return Array(bytes.prefix(8))
    }
}
