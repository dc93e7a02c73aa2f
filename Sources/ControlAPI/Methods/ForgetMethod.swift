/// The method `forget`.
package enum ForgetMethod: ControlMethod {
    package static let description = MethodDescription(
        "forget",
        "Take a conversation off this disk and leave it, or forget somebody; others keep theirs.",
        result: "forgotten",
        errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed], isChange: true)

    /// What is to be forgotten.
    package typealias Params = ConversationParams

    /// What is forgotten.
    package struct Result: ControlValue {
        /// How it is written here.
        package var name = ""
        /// How many messages have left this disk.
        package var messages: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name)
            visitor.field("messages", &self.messages)
        }
    }
}
