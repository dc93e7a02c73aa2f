internal import Crypto
internal import Formats

/// Decides which connections from strangers may begin a handshake.
///
/// A stranger has proven nothing, so what one may cost is bounded before anything is read: the
/// number of handshakes at a time over all, where one gives way by ``FairShare``, then the oldest, and a token
/// bucket per source.
package struct Admission: Sendable {
    /// The bounds; the defaults are for a local network.
    package struct Bounds: Sendable {
        /// Half-open handshakes at a time.
        package var halfOpen = Limits.halfOpenHandshakes
        /// How old a handshake must be before a newer one may take its place.
        ///
        /// A real one takes milliseconds, so whoever is silent for longer loses nothing of worth.
        package var patienceMilliseconds: UInt64 = 500
        /// Connections that one source may open at once: a machine with many users starts.
        package var burst = 64
        /// Milliseconds until a source gets one more.
        package var refillMilliseconds: UInt64 = 125
        /// Sources that are remembered; one that has a full bucket need not be.
        package var sources = 1_024

        /// The usual bounds.
        package init() {}
    }

    /// What becomes of a connection.
    package enum Verdict: Hashable, Sendable {
        /// It may begin; say ``Admission/ended(_:)`` with its number when its handshake is over.
        ///
        /// With one that it `replaces`, that one is to be closed, and is counted as ended already.
        case admitted(number: UInt64, replaces: UInt64?)
        /// Too many handshakes are under way.
        case tooManyHandshakes
        /// This source opens connections too fast.
        case tooFast
    }

    private let bounds: Bounds
    /// An admitted handshake that is under way.
    private struct HalfOpen {
        let number: UInt64
        let source: Source
        let since: UInt64
    }

    private var buckets: [Source: TokenBucket] = [:]
    /// The admitted handshakes that are under way, oldest first.
    private var halfOpen: [HalfOpen] = []
    private var nextNumber: UInt64 = 1

    /// Begins with no connection.
    package init(bounds: Bounds = Bounds()) {
        self.bounds = bounds
    }

    /// Decides about a new connection at a monotonic moment in milliseconds.
    package mutating func admit(_ source: Source, at now: UInt64) -> Verdict {
        var replaced: UInt64?
        if self.halfOpen.count >= self.bounds.halfOpen {
            guard let victim = self.victim(for: source, at: now) else { return .tooManyHandshakes }
            replaced = victim
        }
        var bucket = self.buckets[source] ?? self.fullBucket(at: now)
        guard bucket.take(at: now) else { return .tooFast }
        if self.buckets[source] == nil, self.buckets.count >= self.bounds.sources {
            self.forgetFullBuckets(at: now)
            // A flood from ever new addresses shares what is left rather than growing the table.
            guard self.buckets.count < self.bounds.sources else { return .tooFast }
        }
        self.buckets[source] = bucket
        if let replaced { self.ended(replaced) }
        let number = self.nextNumber
        self.nextNumber += 1
        self.halfOpen.append(HalfOpen(number: number, source: source, since: now))
        return .admitted(number: number, replaces: replaced)
    }

    /// Which handshake gives way to one from a source; nil where none does.
    private func victim(for source: Source, at now: UInt64) -> UInt64? {
        // Of a source the oldest goes: it has had most time.
        let claims = self.halfOpen.map { Self.claim($0.number, of: $0.source) }
        let newcomer = Self.claim(self.nextNumber, of: source)
        let gone = FairShare.room(for: newcomer, among: claims, within: claims.count)
        if let victim = gone?.first { return victim.key }
        guard let oldest = self.halfOpen.first,
            now - min(now, oldest.since) >= self.bounds.patienceMilliseconds
        else { return nil }
        return oldest.number
    }

    private static func claim(_ number: UInt64, of source: Source) -> FairShare<UInt64>.Claim {
        FairShare.Claim(
            key: number, tier: .stranger, source: source, author: PeerID(.zero),
            number: -Int64(number))
    }

    /// Notes that an admitted handshake is over, however it ended; says nothing about one that is
    /// not counted any more.
    package mutating func ended(_ number: UInt64) {
        self.halfOpen.removeAll { $0.number == number }
    }

    private func fullBucket(at now: UInt64) -> TokenBucket {
        let refill = UInt64(self.bounds.burst) * self.bounds.refillMilliseconds
        return TokenBucket(capacity: self.bounds.burst, fullMilliseconds: refill, at: now)
    }

    private mutating func forgetFullBuckets(at now: UInt64) {
        self.buckets = self.buckets.filter { !$0.value.isFull(at: now) }
    }
}
