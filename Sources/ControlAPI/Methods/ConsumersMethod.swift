/// The method `consumers`.
public enum ConsumersMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "consumers", "List durable consumers and how far each has read.", result: "consumers",
        errors: [.storageFailed], hasLargeAnswer: true, access: .group)

    /// Which part.
    public typealias Params = PageParams

    /// By name, then by conversation.
    public typealias Result = Page<Position>

    /// How far a consumer has read one conversation or all.
    public struct Position: ControlValue {
        /// The consumer.
        public var name = ""
        /// The id of the conversation that it follows; nil, written as null, for all.
        public var conversation: String?
        /// The conversation's name; empty for all.
        public var conversationName = ""
        /// The last cursor it acknowledged.
        public var cursor: Int64 = 0
        /// Whether a subscription of it is open.
        public var live = false

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name)
            visitor.field("conversation", &self.conversation, .orNull)
            visitor.field("conversationName", &self.conversationName)
            visitor.field("cursor", &self.cursor)
            visitor.field("live", &self.live)
        }
    }
}
