/// The method `history`.
public enum HistoryMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "history", "Show stored messages of one conversation, oldest first.", result: "history",
        errors: [.notFound, .ambiguous, .storageFailed, .notMember], hasLargeAnswer: true)

    /// Which messages.
    public struct Params: ControlValue {
        /// A room, a person or a conversation id.
        public var to = ""
        /// The most messages to return, 1 to `ControlLimits.historyMessages`.
        public var limit: Int64?
        /// Only messages before this one in display order.
        public var before: String?
        /// Only messages after this one in display order.
        public var after: String?
        /// Only messages of this time or later.
        public var since: Timestamp?

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "to", &self.to, .word,
                "A room (bare word), @name, @ and 8 or more characters of an id, or a conversation id."
            )
            visitor.field(
                "limit", &self.limit, .range(1...Int64(ControlLimits.historyMessages)),
                "The most messages to return; 50 by default.")
            visitor.field("before", &self.before, .id, "Only messages before the one with this id.")
            visitor.field("after", &self.after, .id, "Only messages after the one with this id.")
            visitor.field("since", &self.since, .any, "Only messages of this time or later.")
        }
    }

    /// A page of messages.
    public struct Result: ControlValue {
        /// The messages, oldest first.
        public var messages: [MessageResult] = []
        /// Whether the limit left messages out that fit the question.
        public var more = false

        /// The messages, and a little around them.
        public var expectedBytes: Int { self.messages.expectedBytes + 40 }

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("messages", &self.messages)
            visitor.field("more", &self.more)
        }
    }
}
