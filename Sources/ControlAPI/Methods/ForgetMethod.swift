/// The method `forget`.
public enum ForgetMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "forget",
        "Take a conversation off this disk and leave it, or forget somebody; others keep theirs.",
        result: "forgotten",
        errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed], isChange: true)

    /// What is to be forgotten.
    public typealias Params = ConversationParams

    /// What is forgotten.
    public struct Result: ControlValue {
        /// How it is written here.
        public var name = ""
        /// How many messages have left this disk.
        public var messages: Int64 = 0

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name)
            visitor.field("messages", &self.messages)
        }
    }
}
