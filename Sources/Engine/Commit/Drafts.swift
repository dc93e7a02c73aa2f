internal import Crypto
internal import Formats

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
        if !self.queues.has(draft.conversation) {
            self.queues[draft.conversation] = Queue()
            self.turns.append(draft.conversation)
        }
        self.queues[known: draft.conversation].append(draft)
        self.count += 1
    }

    /// Takes so many at most, those of each conversation in their order.
    mutating func removeFirst(
        atMost limit: Int
    ) -> [(conversation: ConversationID, drafts: [Draft])] {
        var taken: [(conversation: ConversationID, drafts: [Draft])] = []
        var left = limit
        while left > 0, let conversation = self.turns.removeFirst() {
            let drafts = self.queues[known: conversation].removeFirst(atMost: left)
            if self.queues[known: conversation].isEmpty {
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
