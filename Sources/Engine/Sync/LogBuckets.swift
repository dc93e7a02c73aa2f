internal import Crypto
internal import Formats

/// Some of the 256 buckets, a bit for each.
struct BucketSet: Hashable, Sendable {
    private var low: UInt128 = 0
    private var high: UInt128 = 0

    var isEmpty: Bool { self.low == 0 && self.high == 0 }

    private static func bit(_ bucket: UInt8) -> UInt128 { 1 << UInt128(bucket & 127) }

    func contains(_ bucket: UInt8) -> Bool {
        (bucket < 128 ? self.low : self.high) & Self.bit(bucket) != 0
    }

    mutating func insert(_ bucket: UInt8) {
        if bucket < 128 { self.low |= Self.bit(bucket) } else { self.high |= Self.bit(bucket) }
    }

    mutating func remove(_ bucket: UInt8) {
        if bucket < 128 { self.low &= ~Self.bit(bucket) } else { self.high &= ~Self.bit(bucket) }
    }

    /// Its buckets, ascending.
    var members: [UInt8] { LogBucket.all.filter { self.contains($0) } }
}

/// The logs of a conversation by their buckets, and the buckets' hashes.
///
/// A log that moves only marks its bucket. Hashes are made when they are asked for, of marked
/// buckets only: what a message costs does not grow with the logs of its conversation.
struct LogBuckets: Sendable {
    private var names: [UInt8: [LogName]] = [:]
    /// Of buckets that have a log with an entry or a proof; the others' are zeros.
    private var hashes: [UInt8: Bytes32] = [:]
    private var stale = BucketSet()
    private var digestCache: Bytes32?

    /// The logs of a bucket, in no order.
    func names(in bucket: UInt8) -> [LogName] { self.names[bucket] ?? [] }

    /// Takes a log in; gives its bucket.
    mutating func add(_ name: LogName) -> UInt8 {
        let bucket = LogBucket.of(name)
        self.names[bucket, default: []].append(name)
        return bucket
    }

    /// Forgets a log.
    mutating func remove(_ name: LogName) {
        let bucket = LogBucket.of(name)
        self.names[bucket]?.removeAll { $0 == name }
        self.touch(bucket)
    }

    /// Notes that a log of a bucket has moved.
    mutating func touch(_ bucket: UInt8) {
        self.stale.insert(bucket)
        self.digestCache = nil
    }

    /// The hash of each bucket, by its number.
    mutating func hashes(_ logs: Table<LogName, LogProgress>) -> [Bytes32] {
        self.refresh(logs)
        return LogBucket.all.map { self.hashes[$0] ?? .zero }
    }

    /// The digest of all logs that have an entry or a proof.
    mutating func digest(
        of conversation: ConversationID, _ logs: Table<LogName, LogProgress>
    ) -> Bytes32 {
        if let digest = self.digestCache { return digest }
        var writer = WireWriter(capacity: 32 * (1 + LogBucket.count))
        writer.raw(conversation.hash)
        for hash in self.hashes(logs) { writer.raw(hash) }
        let digest = BLAKE2b.hash256(writer.bytes, personal: .logDigest)
        self.digestCache = digest
        return digest
    }

    private mutating func refresh(_ logs: Table<LogName, LogProgress>) {
        guard !self.stale.isEmpty else { return }
        for bucket in self.stale.members { self.hashes[bucket] = self.hash(of: bucket, logs) }
        self.stale = BucketSet()
    }

    /// The hash of a bucket; nil where none of its logs counts.
    private func hash(of bucket: UInt8, _ logs: Table<LogName, LogProgress>) -> Bytes32? {
        let names = self.names(in: bucket).sorted()
        var writer = WireWriter(capacity: 81 * names.count)
        for name in names {
            guard let log = logs[name], log.isCounted else { continue }
            writer.raw(name.author.key)
            writer.u64(name.incarnation)
            writer.u64(log.head.seq)
            writer.raw(log.head.id.hash)
            writer.byte(log.forkPoint == nil ? 0 : 1)
        }
        guard !writer.bytes.isEmpty else { return nil }
        return BLAKE2b.hash256(writer.bytes, personal: .logBucket)
    }
}
