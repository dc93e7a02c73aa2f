/// The method `consumers`.
package enum ConsumersMethod: ControlMethod {
    package static let description = MethodDescription(
        "consumers", "List durable consumers and how far each has read.", result: "consumers",
        errors: [.storageFailed], hasLargeAnswer: true, access: .group,
        details:
            "One element for each position.")

    package typealias Params = PageParams

    /// By name, then by conversation.
    package typealias Result = Page<Position>

    /// How far a consumer has read one conversation or all.
    package struct Position: ControlValue {
        package var name = ""
        package var conversation: String?
        package var conversationName = ""
        package var cursor: Int64 = 0
        package var live = false

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .any, "The consumer's name.")
            visitor.field(
                "conversation", &self.conversation, .orNull,
                "The id of the conversation it follows; null for all.")
            visitor.field(
                "conversationName", &self.conversationName, .any,
                "The conversation's name; empty for all.")
            visitor.field("cursor", &self.cursor, .any, "The last cursor it acknowledged.")
            visitor.field("live", &self.live, .any, "Whether it has an open subscription.")
        }
    }
}
