/// The method `retain`.
public enum RetainMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "retain", "Say for how long the messages of a conversation are kept on this disk.",
        result: "conversation", errors: [.notFound, .ambiguous, .notMember, .storageFailed])

    /// A hundred years.
    public static let daysLimit: Int64 = 36_500

    /// Which conversation, and for how long.
    public struct Params: ControlValue {
        /// A room, a person or a conversation id.
        public var to = ""
        /// For how many days; nil for ever.
        public var days: Int64?

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "to", &self.to, .word,
                "A room (bare word), @name, @ and 8 or more characters of an id, or a conversation id."
            )
            visitor.field(
                "days", &self.days, .range(1...RetainMethod.daysLimit),
                "For how many days; left out: for ever.")
        }
    }

    /// The conversation from here on.
    public typealias Result = ConversationResult
}
