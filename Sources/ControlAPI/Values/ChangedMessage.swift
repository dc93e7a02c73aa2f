/// A message that something was done to: the result of `erase`, `edit` and `react`.
public struct ChangedMessage: ControlValue {
    /// The message's id.
    public var id = ""
    /// The conversation's id.
    public var conversation = ""
    /// The conversation's name.
    public var conversationName = ""

    /// An empty value.
    public init() {}

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .id)
        visitor.field("conversation", &self.conversation, .id)
        visitor.field("conversationName", &self.conversationName)
    }
}

/// A message, by its id or the beginning of it: the parameters of `erase` and `message`.
public struct MessageParams: ControlValue {
    /// Its id, or the beginning of it.
    public var id = ""

    /// Empty parameters.
    public init() {}

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .word, Self.summary)
    }

    static let summary: StaticString =
        "The message's id, or 8 or more characters of its beginning."
}
