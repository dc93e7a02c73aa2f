/// The method `acknowledge`.
public enum AcknowledgeMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "acknowledge",
        "Record what a consumer has processed, or what the user has read of a conversation.",
        result: "acknowledged", errors: [.notFound, .ambiguous, .storageFailed], access: .group)

    /// Whose position moves, and how far.
    public struct Params: ControlValue {
        /// The durable consumer whose position moves.
        public var consumer: String?
        /// The conversation: what the consumer follows, or, without a consumer, what the user read.
        public var conversation: String?
        /// The last cursor processed or read.
        public var cursor: Int64 = 0

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "consumer", &self.consumer, .word, "The durable consumer whose position moves.")
            visitor.field(
                "conversation", &self.conversation, .word,
                "With a consumer: the conversation that it follows, all where left out. Without: the conversation that the user has read."
            )
            visitor.field(
                "cursor", &self.cursor, .range(0...Int64.max),
                "The last cursor processed or read. A position never moves back.")
        }
    }

    /// Refuses parameters that name no position.
    public static func check(_ params: Params) throws(RPCError) {
        guard params.consumer == nil, params.conversation == nil else { return }
        throw .invalidParams(
            "acknowledge needs \"consumer\" or \"conversation\"", reason: "missingParam",
            remedy: "say whose position moves", details: [JSON.Member("param", "consumer")])
    }
}
