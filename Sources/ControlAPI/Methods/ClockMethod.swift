/// The method `clock`.
package enum ClockMethod: ControlMethod {
    package static let description = MethodDescription(
        "clock", "Show a conversation's vector clock here and at each linked member.",
        result: "clock", errors: [.notFound, .ambiguous, .notMember], hasLargeAnswer: true,
        access: .group,
        details:
            "For each author it says how many entries are here and how many each linked member has, by "
            + "what they told last: a member may have more by now. Someone who restored an older backup "
            + "has several logs, each with its incarnation. missing is what is not here at this moment, "
            + "also if it is being fetched.",
        example: ["to": "ops"])

    /// Of which conversation, and which part.
    package struct Params: ControlValue {
        /// A room, a person or a conversation id.
        package var to = ""
        package var page = PageParams()

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("to", &self.to, .word, ConversationParams.toSummary)
            self.page.fields(&visitor)
        }
    }

    /// What a linked member has of a log.
    package struct Member: ControlValue {
        package var id = ""
        package var entries: Int64?
        package var ahead: Int64?
        package var behind: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The member's device.")
            visitor.field(
                "entries", &self.entries, .any,
                "How many entries it has; left out if it has not told.")
            visitor.field(
                "ahead", &self.ahead, .any,
                "How many of them are missing here; left out if none are.")
            visitor.field(
                "behind", &self.behind, .any,
                "How many entries are here and missing there; left out if none are.")
        }
    }

    /// A log: what one author has written under one incarnation.
    package struct Log: ControlValue {
        package var author = ""
        package var authorName = ""
        package var incarnation = ""
        package var here: Int64 = 0
        package var withoutText: Int64?
        package var forked: Bool?
        package var members: [Member] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("author", &self.author, .id, "The author's device.")
            visitor.field(
                "authorName", &self.authorName, .any,
                "The author's name here; Ada@ and the beginning of the key if the name is ambiguous."
            )
            visitor.field("incarnation", &self.incarnation, .any, "16 hexadecimal digits.")
            visitor.field("here", &self.here, .any, "How many entries are here, without a gap.")
            visitor.field(
                "withoutText", &self.withoutText, .any,
                "How many of the last ones may still lack their text; left out if none do.")
            visitor.field(
                "forked", &self.forked, .any,
                "True if its author signed two histories, so nothing more counts.")
            visitor.field("members", &self.members, .any, "How much each linked member has.")
        }
    }

    /// A linked member, by name.
    package struct Named: ControlValue {
        package var id = ""
        package var name = ""
        package var ambiguous: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The member's device.")
            visitor.field("name", &self.name, .any, "The member's name here.")
            visitor.ambiguous(&self.ambiguous)
        }
    }

    /// A page of the clock.
    package struct Result: ListResult {
        package var items: [Log] = []
        package var next: String?
        package var conversation = ""
        package var conversationName = ""
        package var linked: [Named] = []
        package var missing: [MissingResult]?
        package var moreMissing: Int64?

        package var expectedBytes: Int {
            self.items.expectedBytes + self.linked.expectedBytes + 400
        }

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("items", &self.items, .any, "The logs, by author.")
            visitor.field(
                "next", &self.next, .any,
                "Where the next page begins, for after; left out at the end.")
            visitor.field("conversation", &self.conversation, .id, "The conversation's id.")
            visitor.field(
                "conversationName", &self.conversationName, .any, "The conversation's name here.")
            visitor.field(
                "linked", &self.linked, .any, "The linked members, trusted most first.")
            visitor.field(
                "missing", &self.missing, .any,
                "As in history; left out if nothing is missing, and after the first page.")
            visitor.moreMissing(&self.moreMissing)
        }
    }
}
