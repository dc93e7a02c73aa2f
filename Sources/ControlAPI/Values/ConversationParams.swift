/// A conversation that the user is in: the parameters of `mute` and `archive`, and of what ends them.
public struct ConversationParams: ControlValue {
    /// A room, a person or a conversation id.
    public var to = ""

    /// Empty parameters.
    public init() {}

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field(
            "to", &self.to, .word,
            "A room (bare word), @name, @ and 8 or more characters of an id, or a conversation id.")
    }
}
