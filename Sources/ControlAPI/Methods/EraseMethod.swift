/// The method `erase`.
public enum EraseMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "erase", "Take back a message of your own, on every node that has it.",
        result: "erased", errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed])

    /// Which message.
    public struct Params: ControlValue {
        /// Its id, or the beginning of it.
        public var id = ""

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "id", &self.id, .word, "The message's id, or 8 or more characters of its beginning."
            )
        }
    }

    /// What was taken back.
    public struct Result: ControlValue {
        /// The message's id.
        public var id = ""
        /// The conversation's id.
        public var conversation = ""
        /// The conversation's name.
        public var conversationName = ""

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("conversation", &self.conversation, .id)
            visitor.field("conversationName", &self.conversationName)
        }
    }
}
