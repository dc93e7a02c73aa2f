/// Messages of somebody that exist, and are not here.
package struct MissingResult: ControlValue {
    /// Of how many authors that is said at most, and how many are named who have something.
    package static let listed = 16

    package var author = ""
    package var authorName = ""
    package var count: Int64 = 0
    package var holders: [String] = []

    package init() {}

    /// Others refer to it as `Missing`.
    package static var schemaName: String? { "Missing" }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("author", &self.author, .id, "The author's device.")
        visitor.field(
            "authorName", &self.authorName, .any,
            "The author's name here; Ada@ and the beginning of the key if the name is ambiguous.")
        visitor.field("count", &self.count, .any, "How many entries of one log are missing.")
        visitor.field(
            "holders", &self.holders, .any,
            "The names of people who report having them, at most 16; empty if only the author's signature of a later entry is here."
        )
    }
}

/// A conversation of which messages are missing.
package struct IncompleteConversation: ControlValue {
    /// How many of them `status` lists.
    package static let listed = 16

    package var conversation = ""
    package var conversationName = ""
    package var missing: [MissingResult] = []
    package var moreMissing: Int64?

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("conversation", &self.conversation, .id, "The conversation's id.")
        visitor.field(
            "conversationName", &self.conversationName, .any, "The conversation's name here.")
        visitor.field(
            "missing", &self.missing, .any,
            "The missing messages, by author, contacts first, at most 16.")
        visitor.moreMissing(&self.moreMissing)
    }
}

extension FieldVisitor {
    /// How many authors a list of what is missing leaves out.
    mutating func moreMissing(_ count: inout Int64?) {
        self.field(
            "moreMissing", &count, .any,
            "Of how many other authors messages are missing; left out if of none.")
    }
}
