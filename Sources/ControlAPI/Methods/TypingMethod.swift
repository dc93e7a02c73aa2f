/// The method `typing`.
package enum TypingMethod: ControlMethod {
    package static let description = MethodDescription(
        "typing", "Tell linked members that you are typing in a conversation.", result: "told",
        errors: [.notFound, .ambiguous, .notMember], access: .group,
        details:
            "Call it at each key press, at most once a second. Members are told every 3 s, "
            + "and take it to be over 7 s after the last time or when a message comes.")

    package typealias Params = ConversationParams

    /// Who was told.
    package struct Result: ControlValue {
        package var told: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "told", &self.told, .any,
                "How many peers were told; 0 if they were told within the last three seconds, or with Typing=private."
            )
        }
    }
}
