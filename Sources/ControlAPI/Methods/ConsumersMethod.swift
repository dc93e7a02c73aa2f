/// The method `consumers`.
package enum ConsumersMethod: ControlMethod {
    package static let description = MethodDescription(
        "consumers", "List durable consumers and how far each has read.", result: "consumers",
        errors: [.storageFailed], hasLargeAnswer: true, access: .group)

    package typealias Params = PageParams

    /// By name, then by conversation.
    package typealias Result = Page<Position>

    /// How far a consumer has read one conversation or all.
    package struct Position: ControlValue {
        package var name = ""
        /// The id of the conversation that it follows; nil, written as null, for all.
        package var conversation: String?
        /// The conversation's name; empty for all.
        package var conversationName = ""
        /// The last cursor it acknowledged.
        package var cursor: Int64 = 0
        /// Whether a subscription of it is open.
        package var live = false

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name)
            visitor.field("conversation", &self.conversation, .orNull)
            visitor.field("conversationName", &self.conversationName)
            visitor.field("cursor", &self.cursor)
            visitor.field("live", &self.live)
        }
    }
}
