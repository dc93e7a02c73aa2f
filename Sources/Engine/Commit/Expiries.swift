package import Formats

/// Payloads that this node is not to keep any longer: which, and how far the store has come with it.
///
/// `Docs/Protocol/Entries.md` section 9. The store does a bounded part with each batch, and
/// conversations have their turns. What is asked for holds until the node stops; what is done is on
/// disk.
struct Expiries: Sendable {
    /// What was asked for and is not done.
    private struct Job: Sendable {
        /// Nil for what the node does by itself.
        var request: RequestID?
        var step: Expiry
        var count = 0
    }

    /// What a request has come to.
    struct Done: Hashable, Sendable {
        var request: RequestID?
        var bound: RetentionBound
        var conversation: ConversationID
        /// Whether data of streams is left.
        var isStreamLeft: Bool
        /// How many payloads were given up.
        var count: Int
    }

    /// Those whose turn is next come first.
    private var jobs: [Job] = []
    /// Whether the first one is under way.
    private var isUnderWay = false
    /// What was asked for last of each conversation.
    private var cutOffs: [ConversationID: HybridTime] = [:]
    /// Before which time data of streams is too old.
    private var streamCutOff = HybridTime(0)

    /// Whether there is nothing to be done.
    var isEmpty: Bool { self.jobs.isEmpty }

    /// How many requests wait.
    var count: Int { self.jobs.count }

    /// Has all expire that is beyond a bound; false where too many wait.
    mutating func begin(
        _ request: RequestID?, in conversation: ConversationID, _ bound: RetentionBound,
        by steps: [RetentionStep] = []
    ) -> Bool {
        guard self.jobs.count < Limits.waitingExpiries else { return false }
        if case .before(let time) = bound { self.cutOffs[conversation] = time }
        let step = Expiry(conversation: conversation, bound, by: steps)
        self.jobs.append(Job(request: request, step: step))
        return true
    }

    /// Has data of streams go that is too old or was received; not while that is being done.
    mutating func begin(in conversation: ConversationID, _ bound: StreamBound) {
        self.noteStreams(before: bound.before)
        let isUnderWay = self.jobs.contains {
            if case .streams = $0.step.bound { $0.step.conversation == conversation } else { false }
        }
        if !isUnderWay { _ = self.begin(nil, in: conversation, .streams(bound)) }
    }

    /// Notes from which time on data of streams is kept.
    mutating func noteStreams(before time: HybridTime) { self.streamCutOff = time }

    /// Whether an entry is older than what this node keeps, so that its payload is never wanted.
    func expires(
        _ time: HybridTime, in conversation: ConversationID, isOfStream: Bool = false
    ) -> Bool {
        #if MUTANTS
            if Mutant.wantExpired.isActive { return false }
        #endif
        return self.cutOffs[conversation].map { time < $0 } ?? false
            || isOfStream && time < self.streamCutOff
    }

    /// An append with what would expire first noted as such, and not as wanted.
    func judged(_ append: Append) -> Append {
        guard append.verdicts.contains(where: { $0.payload == .wanted }) else { return append }
        let run = append.run.run
        var append = append
        for (index, entry) in run.entries.enumerated()
        where append.verdicts[index].payload == .wanted
            && self.expires(
                entry.time, in: run.key.conversation,
                isOfStream: entry.entryClass == EntryClass.stream.rawValue)
        { append.verdicts[index].payload = .expired }
        return append
    }

    /// What the next batch is to do; nil for nothing.
    mutating func next() -> Expiry? {
        self.isUnderWay = !self.jobs.isEmpty
        return self.jobs.first?.step
    }

    /// A part is on disk, so the next one has its turn; gives what is done with it.
    mutating func took(_ outcome: ExpiryOutcome) -> Done? {
        guard self.isUnderWay, !self.jobs.isEmpty else { return nil }
        self.isUnderWay = false
        var job = self.jobs.removeFirst()
        job.count += outcome.entries.count
        guard let position = outcome.next else {
            return Done(
                request: job.request, bound: job.step.bound,
                conversation: job.step.conversation, isStreamLeft: outcome.isStreamLeft,
                count: job.count)
        }
        job.step.after = position
        self.jobs.append(job)
        return nil
    }

    /// The store has failed: gives the request that waited for it.
    mutating func fail() -> RequestID? {
        guard self.isUnderWay, !self.jobs.isEmpty else { return nil }
        self.isUnderWay = false
        return self.jobs.removeFirst().request
    }
}

/// Which payloads the store is to give up with a batch: of entries that are shown or disputed, not of
/// class 1, and beyond a bound; the oldest first.
package struct Expiry: Hashable, Sendable {
    package var conversation: ConversationID
    /// Those that are to go.
    package var bound: RetentionBound
    /// The passes over it, one after the other; none for one in which all may go.
    package var steps: [RetentionStep]
    /// How far the batches before this one have come; nil for the first one.
    package var after: ExpiryPosition?
    /// Data of streams behind this cursor stays, since a client still reads it; nil where none does.
    package var readThrough: Cursor?

    package init(
        conversation: ConversationID, _ bound: RetentionBound, by steps: [RetentionStep] = [],
        after: ExpiryPosition? = nil
    ) {
        self.steps = steps
        self.conversation = conversation
        self.bound = bound
        self.after = after
    }
}

/// A place in the order in which a store looks at the entries of a conversation.
package struct ExpiryPosition: Hashable, Sendable {
    /// The time of the last entry that was looked at.
    package var time: HybridTime
    /// Tells entries of one time apart.
    package var number: Int64
    /// Which pass it is.
    package var step: Int
    /// How many bytes may still go of each share in this pass; nil at its beginning.
    package var left: [UInt64]?

    package init(time: HybridTime, number: Int64, step: Int = 0, left: [UInt64]? = nil) {
        self.time = time
        self.number = number
        self.step = step
        self.left = left
    }

    /// The beginning of a pass.
    package init(of step: Int) { self.init(time: HybridTime(0), number: .min, step: step) }
}

/// What a batch has made of an ``Expiry``.
package struct ExpiryOutcome: Hashable, Sendable {
    /// The entries whose payloads were given up, here or still wanted; at most
    /// ``Limits/expiredPerBatch``.
    package var entries: [EntryPlace]
    /// Where to go on; nil where all is done.
    package var next: ExpiryPosition?
    /// Whether the conversation still has data of streams, where these were looked at to their end.
    package var isStreamLeft = false

    package init(entries: [EntryPlace], next: ExpiryPosition?) {
        self.entries = entries
        self.next = next
    }
}

/// Where an entry stands: its log, and its number there.
package struct EntryPlace: Hashable, Sendable {
    package var key: LogKey
    /// The number there.
    package var seq: UInt64

    /// Names a place.
    package init(key: LogKey, seq: UInt64) {
        self.key = key
        self.seq = seq
    }
}
