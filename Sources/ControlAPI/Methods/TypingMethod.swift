/// The method `typing`.
package enum TypingMethod: ControlMethod {
    package static let description = MethodDescription(
        "typing", "Tell those who are linked that you write in a conversation.", result: "told",
        errors: [.notFound, .ambiguous, .notMember], access: .group)

    package typealias Params = ConversationParams

    /// Who was told.
    package struct Result: ControlValue {
        /// How many peers; none where they were told within the last three seconds, or are not to know.
        package var told: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("told", &self.told)
        }
    }
}
