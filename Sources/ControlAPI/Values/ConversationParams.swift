/// A conversation that the user is in: the parameters of `mute` and `archive`, and of what ends them.
package struct ConversationParams: ControlValue {
    /// A room, a person or a conversation id.
    package var to = ""

    /// What is said of the parameter that names a conversation, of whichever method.
    static let toSummary: StaticString =
        "A room (bare word), @name, @ and at least 8 characters of an id, or a conversation id."

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("to", &self.to, .word, Self.toSummary)
    }
}
