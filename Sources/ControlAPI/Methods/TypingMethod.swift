/// The method `typing`.
public enum TypingMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "typing", "Tell those who are linked that you write in a conversation.", result: "told",
        errors: [.notFound, .ambiguous, .notMember], access: .group)

    /// In which conversation.
    public typealias Params = ConversationParams

    /// Who was told.
    public struct Result: ControlValue {
        /// How many peers; none where they were told within the last three seconds, or are not to know.
        public var told: Int64 = 0

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("told", &self.told)
        }
    }
}
