/// The method `topic`.
package enum TopicMethod: ControlMethod {
    package static let description = MethodDescription(
        "topic", "Show or set what a conversation is about.",
        result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .refused, .tooLarge, .storageFailed],
        isChange: true,
        details:
            "Every member can set it, in a group only its admins; the last in display order counts. "
            + "A topic of a group counts only while its author is an admin.",
        reasons: ["notAdmin": "the conversation is a group, and the user is no admin of it"],
        example: ["to": "ops", "text": "printers and networks"])

    /// Which conversation, and what it is about.
    package struct Params: ControlValue {
        /// A room, a person or a conversation id.
        package var to = ""
        /// What it is about; empty for nothing, nil to ask only.
        package var text: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("to", &self.to, .word, ConversationParams.toSummary)
            visitor.field(
                "text", &self.text, .any,
                "The new topic, at most 256 bytes; empty to remove it. Left out: nothing changes."
            )
        }
    }

    package typealias Result = ConversationResult

    /// Refuses a text that is too long.
    package static func check(_ params: Params) throws(RPCError) {
        guard let bytes = params.text?.utf8.count, bytes > ControlLimits.topicBytes else { return }
        throw .tooLarge(
            "the topic", bytes: bytes, limit: ControlLimits.topicBytes, remedy: "give a shorter one"
        )
    }
}
