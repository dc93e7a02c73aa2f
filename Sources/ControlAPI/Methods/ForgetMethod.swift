/// The method `forget`.
package enum ForgetMethod: ControlMethod {
    package static let description = MethodDescription(
        "forget",
        "Delete a conversation from this disk and leave it, or forget a person; others keep theirs.",
        result: "forgotten",
        errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed], isChange: true,
        details:
            "The headers of deleted messages stay, and so do the room's name, topics, joins "
            + "and leaves. For a person (@ada), the contact, their addresses and the "
            + "conversation are deleted, and what they write next is a request; someone the "
            + "user blocked stays blocked.")

    /// What is to be forgotten.
    package struct Params: ControlValue {
        /// A room, a person or a conversation id.
        package var to = ""
        /// True to learn what would go, while nothing does.
        package var dryRun: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("to", &self.to, .word, ConversationParams.toSummary)
            visitor.field(
                "dryRun", &self.dryRun, .any, "True: only say what would be deleted.")
        }
    }

    /// What is forgotten.
    package struct Result: ControlValue {
        package var name = ""
        package var messages: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .any, "The name of the conversation here.")
            visitor.field(
                "messages", &self.messages, .any,
                "How many messages were deleted from this disk, or would be.")
        }
    }
}
