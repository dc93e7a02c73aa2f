internal import Crypto

/// An own entry that has no place in its log yet.
struct Draft: Hashable, Sendable {
    var conversation: ConversationID
    var content: Content
    var request: RequestID?
    var outgoing: Outgoing?
}

/// The drafts of all conversations, which take turns.
///
/// What waits of one is taken together, since each run is attested, sent and verified by itself; and
/// one into which much is written does not hold up the others.
struct Drafts: Sendable {
    /// The conversations that have drafts.
    private var turns = Queue<ConversationID>()
    private var queues = Table<ConversationID, Queue<Draft>>()
    private(set) var count = 0

    var isEmpty: Bool { self.count == 0 }

    mutating func append(_ draft: Draft) {
        if self.queues[draft.conversation] == nil {
            self.queues[draft.conversation] = Queue()
            self.turns.append(draft.conversation)
        }
        self.queues[draft.conversation]?.append(draft)
        self.count += 1
    }

    /// Takes so many at most, those of each conversation in their order.
    mutating func removeFirst(
        atMost limit: Int
    ) -> [(conversation: ConversationID, drafts: [Draft])] {
        var taken: [(conversation: ConversationID, drafts: [Draft])] = []
        var left = limit
        while left > 0, let conversation = self.turns.removeFirst() {
            let drafts = self.queues[conversation]?.removeFirst(atMost: left) ?? []
            if self.queues[conversation]?.isEmpty == true {
                self.queues[conversation] = nil
            } else {
                self.turns.append(conversation)
            }
            taken.append((conversation, drafts))
            left -= drafts.count
        }
        self.count -= limit - left
        return taken
    }
}

/// A verified run of somebody's on its way to the disk, and whom to credit for it.
struct Accepted: Hashable, Sendable {
    var append: Append
    var link: LinkID
    var channel: Channel
    var byteCount: Int
}

/// What the next batches will hold.
struct CommitQueue: Sendable {
    var drafts = Drafts()
    var live: [Accepted] = []
    var sync: [Accepted] = []
    var records: [PeerID: Record] = [:]
    var proofs: [ForkProof] = []
    var membership: [ConversationID: RoomMembership] = [:]
    var peers: [PeerID: KnownPeer] = [:]
    var profileRequests: [RequestID] = []
    var release = false

    var isEmpty: Bool {
        self.drafts.isEmpty && self.live.isEmpty && self.sync.isEmpty && self.membership.isEmpty
            && !self.hasSmallThings
    }

    /// Whether there is anything besides drafts, runs and memberships.
    var hasSmallThings: Bool {
        self.release || !self.records.isEmpty || !self.proofs.isEmpty || !self.peers.isEmpty
            || !self.profileRequests.isEmpty
    }
}

/// The batch that the store is writing, and who waits for it.
struct InFlight: Sendable {
    var batch: Batch
    /// The drafts of own entries, in the order of the batch's first appends.
    var drafts: [Draft]
    /// How many of the batch's appends are own.
    var ownAppends: Int
    /// Where the other appends came from, in their order.
    var accepted: [Accepted]
    var profileRequests: [RequestID]
}

/// Waits until peers have an own message.
struct Delivery: Hashable, Sendable {
    var request: RequestID
    var key: LogKey
    var seq: UInt64
    var message: SentMessage
    var deadline: UInt64
}

/// The waits of all senders, each log's in the order of its entries.
struct Deliveries: Sendable {
    private(set) var waits: [LogKey: [Delivery]] = [:]
    private(set) var count = 0

    var keys: [LogKey] { self.waits.keys.sorted() }

    func isEmpty(for key: LogKey) -> Bool { self.waits[key] == nil }

    mutating func add(_ delivery: Delivery) {
        self.waits[delivery.key, default: []].append(delivery)
        self.count += 1
    }

    /// Takes out those up to an entry.
    mutating func remove(of key: LogKey, through seq: UInt64) -> [Delivery] {
        let done = self.waits[key]?.prefix { $0.seq <= seq } ?? []
        guard !done.isEmpty else { return [] }
        self.waits[key]?.removeFirst(done.count)
        if self.waits[key]?.isEmpty == true { self.waits[key] = nil }
        self.count -= done.count
        return Array(done)
    }

    /// Takes out those whose time is over.
    mutating func removeDue(at moment: UInt64) -> [Delivery] {
        var due: [Delivery] = []
        for key in self.keys {
            due += (self.waits[key] ?? []).filter { $0.deadline <= moment }
            self.waits[key]?.removeAll { $0.deadline <= moment }
            if self.waits[key]?.isEmpty == true { self.waits[key] = nil }
        }
        self.count -= due.count
        return due
    }

    /// When the first wait ends.
    var firstDeadline: UInt64? { self.waits.values.joined().map(\.deadline).min() }
}

/// What a run that is read from the store is for.
enum ReadPurpose: Hashable, Sendable {
    /// Own entries to push on.
    case live(LinkID, LogKey)
    /// Entries that a peer wants.
    case sync(LinkID, Serving)
    /// Own view of a log that may have forked.
    case fork(LogKey)
    /// The own entry before a fork point that a peer has proven.
    case end(ForkProof)
}

/// Idempotency keys of sends that are not yet on disk, or only just: they close the gap between a
/// look-up and a commit.
struct RecentKeys: Sendable {
    private var pending: [String: [RequestID]] = [:]
    private var done: [String: SentMessage] = [:]
    private var order: [String] = []
    private static let kept = 1_024

    /// Joins a send under way with the same key; false when there is none.
    mutating func join(_ key: String, _ request: RequestID) -> Bool {
        guard self.pending[key] != nil else { return false }
        self.pending[key]?.append(request)
        return true
    }

    func recent(_ key: String) -> SentMessage? { self.done[key] }

    mutating func begin(_ key: String) { self.pending[key] = [] }

    /// Ends a send; gives the requests that had joined it.
    mutating func finish(_ key: String, _ message: SentMessage?) -> [RequestID] {
        if let message {
            self.done[key] = message
            self.order.append(key)
            if self.order.count > 2 * Self.kept {
                for old in self.order.prefix(Self.kept) { self.done[old] = nil }
                self.order.removeFirst(Self.kept)
            }
        }
        return self.pending.removeValue(forKey: key) ?? []
    }
}
