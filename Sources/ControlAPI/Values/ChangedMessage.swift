/// A message that something was done to: the result of `delete`, `edit` and `react`.
package struct ChangedMessage: ControlValue {
    package var id = ""
    package var conversation = ""
    package var conversationName = ""

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .id, "The message's id.")
        visitor.field("conversation", &self.conversation, .id, "The conversation's id.")
        visitor.field(
            "conversationName", &self.conversationName, .any, "The conversation's name here.")
    }
}

/// A message, by its id or the beginning of it: the parameters of `delete` and `message`.
package struct MessageParams: ControlValue {
    /// Its id, or the beginning of it.
    package var id = ""

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .word, Self.summary)
    }

    static let summary: StaticString =
        "The message's id, or at least its first 8 characters."
}
