package import Formats

/// Which of what one's own device sent by streams everybody has who was there to get it.
package struct StreamReaders: Hashable, Sendable {
    /// From a time on, up to where those have the log who were members then.
    private struct Step: Hashable, Sendable {
        var since: HybridTime
        var through: UInt64
    }

    /// By time; each goes less far than the one before it.
    private var steps: [Step] = []

    /// - Parameter members: when each other member joined, and through which entry they have the log.
    package init(_ members: [(joined: HybridTime, stored: UInt64)]) {
        for member in members.sorted(by: { ($0.joined, $0.stored) < ($1.joined, $1.stored) }) {
            if let last = self.steps.last, last.through <= member.stored { continue }
            self.steps.append(Step(since: member.joined, through: member.stored))
        }
    }

    /// Whether an entry has come to all who were members at its time; false where nobody was.
    package func have(_ seq: UInt64, of time: HybridTime) -> Bool {
        guard let step = self.steps.last(where: { $0.since <= time }) else { return false }
        return seq <= step.through
    }

    /// Whether there is an entry that all have.
    var haveAny: Bool { self.steps.contains { $0.through > 0 } }
}

/// Which data of a conversation's streams is to go.
package struct StreamBound: Hashable, Sendable {
    /// All that is older.
    package var before: HybridTime
    /// Of own logs what all have who were to get it.
    package var received: [LogName: StreamReaders]

    package init(before: HybridTime, received: [LogName: StreamReaders] = [:]) {
        self.before = before
        self.received = received
    }

    /// Whether an entry is to go.
    package func covers(_ seq: UInt64, of log: LogName, at time: HybridTime) -> Bool {
        time < self.before || self.received[log]?.have(seq, of: time) == true
    }
}

/// When it is looked at which data of streams is to go: never while there is none.
struct StreamUpkeep: Sendable {
    /// The conversations with data of streams.
    private(set) var conversations: Set<ConversationID>
    private var dueAt: UInt64?
    private var armedAt: UInt64?

    init(_ conversations: Set<ConversationID>) { self.conversations = conversations }

    /// Data has come to a conversation, or somebody has more of its logs.
    mutating func look(in conversation: ConversationID, isNew: Bool, at now: UInt64) {
        if isNew { self.conversations.insert(conversation) }
        guard self.conversations.contains(conversation) else { return }
        self.look(after: Limits.streamCheckMilliseconds, at: now)
    }

    /// Looks at all once more after a while, if there is any.
    mutating func look(after milliseconds: UInt64, at now: UInt64) {
        guard !self.conversations.isEmpty else { return }
        self.dueAt = min(self.dueAt ?? .max, now + milliseconds)
    }

    /// When the node is to be woken; nil where that is arranged, or nothing is to be looked at.
    mutating func nextWakeUp() -> UInt64? {
        guard let dueAt, self.armedAt.map({ dueAt < $0 }) ?? true else { return nil }
        self.armedAt = dueAt
        return dueAt
    }

    /// The moment has come.
    mutating func woke(at now: UInt64) {
        (self.dueAt, self.armedAt) = (nil, nil)
        self.look(after: Limits.streamAgeMilliseconds, at: now)
    }

    /// Nothing is left in a conversation.
    mutating func end(_ conversation: ConversationID) { self.conversations.remove(conversation) }
}
