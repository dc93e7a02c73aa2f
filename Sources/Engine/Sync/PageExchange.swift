internal import Crypto
internal import Formats

/// What the peer's bucket hashes ask for.
struct BucketFinding: Hashable, Sendable {
    /// The buckets that both have alike.
    var equal = BucketSet()
    /// Those of which the own pages are to be sent.
    var toSend: [UInt8] = []
}

/// The clock pages of a conversation on a link: which were sent, and which are to come.
///
/// `Docs/Protocol/Sync.md` section 4.
struct PageExchange: Sendable {
    /// What the own bucket was when its page was last sent, and the peer's by what it said then.
    private struct Told: Hashable {
        var own: UInt64
        var theirs: UInt64?

        init(own: UInt64, theirs: UInt64? = nil) { (self.own, self.theirs) = (own, theirs) }
    }

    /// The pages that were sent since the own digest was.
    private var sent = BucketSet()
    /// So that what differs for good, because one side refuses it, is told once and not each time.
    private var told: [UInt8: Told] = [:]
    /// The pages that the peer will send, since its buckets differ.
    private var awaited = BucketSet()
    /// The pages that have come.
    private var heard = BucketSet()
    private var hasHeard = false

    /// Whether what the peer has is known: its clock has come, or a digest that equals the own one.
    var isPeerKnown: Bool { self.hasHeard && self.awaited.isEmpty }

    mutating func noteDigestSent() { self.sent = BucketSet() }

    /// A digest of the peer begins anew; one that equals the own one says all.
    mutating func noteDigestReceived(isEqual: Bool) {
        self.awaited = BucketSet()
        if isEqual { self.hasHeard = true }
    }

    /// Notes that all pages are sent, of buckets with these hashes.
    mutating func noteAllSent(_ hashes: [Bytes32]) {
        for (bucket, hash) in zip(LogBucket.all, hashes) {
            self.sent.insert(bucket)
            self.told[bucket] = hash == .zero ? nil : Told(own: Self.mark(hash))
        }
    }

    /// Compares the peer's buckets with the own ones; the pages to send count as sent.
    mutating func receiveBuckets(
        _ theirs: [UInt64], own: [Bytes32], tag: (Bytes32) -> UInt64
    ) -> BucketFinding {
        self.hasHeard = true
        var finding = BucketFinding()
        // Nearly all buckets of most conversations are empty.
        let empty = tag(.zero)
        for bucket in LogBucket.all {
            let (hash, theirs) = (own[Int(bucket)], theirs[Int(bucket)])
            if theirs == (hash == .zero ? empty : tag(hash)) {
                finding.equal.insert(bucket)
                self.awaited.remove(bucket)
            } else if self.isToSend(bucket, Told(own: Self.mark(hash), theirs: theirs)) {
                finding.toSend.append(bucket)
                self.awaited.insert(bucket)
            }
        }
        return finding
    }

    private mutating func isToSend(_ bucket: UInt8, _ now: Told) -> Bool {
        guard self.told[bucket] != now else { return false }
        self.told[bucket] = now
        self.sent.insert(bucket)
        return true
    }

    mutating func noteReceived(_ bucket: UInt8) {
        self.hasHeard = true
        self.heard.insert(bucket)
        self.awaited.remove(bucket)
    }

    /// Whether the peer has told all that it has in a bucket.
    func hasHeard(of bucket: UInt8) -> Bool { self.heard.contains(bucket) }

    /// Whether a page of the peer's that differs from the own one is to be answered by that.
    ///
    /// It then counts as sent. `isNews` says that it is not what the peer had told before.
    mutating func isToAnswer(_ bucket: UInt8, own hash: Bytes32, isNews: Bool) -> Bool {
        let mark = Self.mark(hash)
        guard !self.sent.contains(bucket), isNews || self.told[bucket]?.own != mark else {
            return false
        }
        self.sent.insert(bucket)
        self.told[bucket] = Told(own: mark)
        return true
    }

    /// The beginning of a hash, which is enough to see that a bucket has changed.
    private static func mark(_ hash: Bytes32) -> UInt64 {
        hash.withBytes { $0.unsafeLoadUnaligned(as: UInt64.self) }
    }
}
