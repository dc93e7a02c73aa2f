package import Formats

/// An idempotency key, which counts within its conversation.
struct IdempotencyKey: Hashable, Sendable {
    var conversation: ConversationID
    var text: String

    /// The key of an outgoing message; nil for one without.
    init?(_ outgoing: Outgoing) {
        guard let key = outgoing.idempotencyKey else { return nil }
        self.conversation = outgoing.conversation
        self.text = key
    }
}

/// What was sent under an idempotency key before.
package struct EarlierSend: Hashable, Sendable {
    package var message: SentMessage
    /// What it says; nil where that is gone.
    package var content: Content?

    /// Gathers what was sent.
    package init(message: SentMessage, content: Content?) {
        self.message = message
        self.content = content
    }
}

/// Idempotency keys of sends that are not yet on disk, or only just: they close the gap between a
/// look-up and a commit.
struct RecentKeys: Sendable {
    /// A send under way, and who else waits for it.
    private struct Pending {
        let content: Content
        var joined: [RequestID] = []
    }

    private var underWay: [IdempotencyKey: Pending] = [:]
    private var done: [IdempotencyKey: EarlierSend] = [:]
    private var order: [IdempotencyKey] = []
    private static let kept = 1_024

    /// What is being sent under a key; nil where nothing is.
    func pending(_ key: IdempotencyKey) -> Content? { self.underWay[key]?.content }

    /// Joins the send under way with the same key.
    mutating func join(_ key: IdempotencyKey, _ request: RequestID) {
        self.underWay[key]?.joined.append(request)
    }

    /// What was sent under a key lately.
    func recent(_ key: IdempotencyKey) -> EarlierSend? { self.done[key] }

    /// Begins a send.
    mutating func begin(_ key: IdempotencyKey, _ content: Content) {
        self.underWay[key] = Pending(content: content)
    }

    /// Ends a send; gives the requests that had joined it.
    mutating func finish(_ key: IdempotencyKey, _ message: SentMessage?) -> [RequestID] {
        let ended = self.underWay.removeValue(forKey: key)
        guard let message else { return ended?.joined ?? [] }
        self.done[key] = EarlierSend(message: message, content: ended?.content)
        self.order.append(key)
        if self.order.count > 2 * Self.kept {
            for old in self.order.prefix(Self.kept) { self.done[old] = nil }
            self.order.removeFirst(Self.kept)
        }
        return ended?.joined ?? []
    }
}
