/// The method `acknowledge`.
package enum AcknowledgeMethod: ControlMethod {
    package static let description = MethodDescription(
        "acknowledge",
        "Record how far a consumer has processed, or the user has read, a conversation.",
        result: "acknowledged", errors: [.notFound, .ambiguous, .storageFailed], access: .group,
        details:
            "Without consumer, the user has read up to here: unread counts from it, and "
            + "other members are told unless ReadMarks=private. So acknowledge without "
            + "consumer only what a person has seen. A consumer has a position where it was "
            + "named to subscribe: for one conversation, or for all together.",
        reasons: [
            "cursorAhead": "no message has that cursor yet",
            "unknownConsumer": "subscribe has not been called with this consumer",
            "noPosition": "the consumer reads other conversations than the one named",
        ],
        example: ["consumer": "pager", "conversation": "ops", "cursor": 42])

    /// Whose position moves, and how far.
    package struct Params: ControlValue {
        /// The durable consumer whose position moves.
        package var consumer: String?
        /// The conversation: what the consumer follows, or, without a consumer, what the user read.
        package var conversation: String?
        /// The last cursor processed or read.
        package var cursor: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "consumer", &self.consumer, .word, "The durable consumer whose position moves.")
            visitor.field(
                "conversation", &self.conversation, .word,
                "With consumer: the conversation it follows; leave it out for all. Without: the conversation the user has read."
            )
            visitor.field(
                "cursor", &self.cursor, .range(0...Int64.max),
                "The last cursor processed or read. A position never moves back.")
        }
    }

    /// Refuses parameters that name no position.
    package static func check(_ params: Params) throws(RPCError) {
        guard params.consumer == nil, params.conversation == nil else { return }
        throw .invalidParams(
            "acknowledge needs \"conversation\" or \"consumer\"", reason: "missingParam",
            remedy: "name the conversation that the user has read, or the consumer",
            details: [JSON.Member("param", "conversation")])
    }
}
