public import Posix

/// Decides which connections from strangers may begin a handshake.
///
/// A stranger has proven nothing, so what one may cost is bounded before anything is read: the
/// number of handshakes at a time over all, and a token bucket per source address.
public struct Admission: Sendable {
    /// The bounds; the defaults are for a local network.
    public struct Bounds: Sendable {
        /// Half-open handshakes at a time.
        public var halfOpen = 32
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
        /// It may begin; say ``Admission/ended()`` when its handshake is over.
        case admitted
        /// Too many handshakes are under way.
        case tooManyHandshakes
        /// This source opens connections too fast.
        case tooFast
    }

    private struct Bucket: Sendable {
        var tokens: Int
        /// When `tokens` was right, in monotonic milliseconds.
        var since: UInt64
    }

    private let bounds: Bounds
    private var buckets: [[UInt8]: Bucket] = [:]
    /// How many admitted handshakes are under way.
    public private(set) var halfOpen = 0

    /// Begins with no connection.
    public init(bounds: Bounds = Bounds()) {
        self.bounds = bounds
    }

    /// Decides about a new connection at a monotonic moment in milliseconds.
    public mutating func admit(_ source: IPAddress, at now: UInt64) -> Verdict {
        guard self.halfOpen < self.bounds.halfOpen else { return .tooManyHandshakes }
        let key = Self.key(source)
        var bucket = self.refilled(self.buckets[key], at: now)
        guard bucket.tokens > 0 else { return .tooFast }
        bucket.tokens -= 1
        if self.buckets[key] == nil, self.buckets.count >= self.bounds.sources {
            self.forgetFullBuckets(at: now)
            // A flood from ever new addresses shares what is left rather than growing the table.
            guard self.buckets.count < self.bounds.sources else { return .tooFast }
        }
        self.buckets[key] = bucket
        self.halfOpen += 1
        return .admitted
    }

    /// Notes that an admitted handshake is over, however it ended.
    public mutating func ended() {
        precondition(self.halfOpen > 0, "each admitted handshake ends once")
        self.halfOpen -= 1
    }

    private func refilled(_ bucket: Bucket?, at now: UInt64) -> Bucket {
        guard let bucket else { return Bucket(tokens: self.bounds.burst, since: now) }
        let gained = (now - min(now, bucket.since)) / self.bounds.refillMilliseconds
        guard gained < UInt64(self.bounds.burst - bucket.tokens) else {
            return Bucket(tokens: self.bounds.burst, since: now)
        }
        return Bucket(
            tokens: bucket.tokens + Int(gained),
            since: bucket.since + gained * self.bounds.refillMilliseconds)
    }

    private mutating func forgetFullBuckets(at now: UInt64) {
        self.buckets = self.buckets.filter {
            self.refilled($0.value, at: now).tokens < self.bounds.burst
        }
    }

    /// One host has all of an IPv6 network of 64 bits to choose from, so that counts as one source.
    private static func key(_ source: IPAddress) -> [UInt8] {
        let bytes = source.bytes
        guard source.isIPv6, !source.isLinkLocal, !source.isLoopback else { return bytes }
        return Array(bytes.prefix(8))
    }
}
