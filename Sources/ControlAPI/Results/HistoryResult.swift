/// The result of `history`.
public struct HistoryResult: Equatable, Sendable {
    /// The messages, oldest first.
    public var messages: [MessageResult]
    /// Whether the limit left messages out that fit the question.
    public var more: Bool

    /// Makes a result.
    public init(messages: [MessageResult], more: Bool) {
        self.messages = messages
        self.more = more
    }

    /// The result as JSON.
    public var json: JSON {
        ["messages": .array(self.messages.map(\.json)), "more": .bool(self.more)]
    }
}
