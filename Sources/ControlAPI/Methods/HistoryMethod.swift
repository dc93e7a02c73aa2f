/// The method `history`.
package enum HistoryMethod: ControlMethod {
    package static let description = MethodDescription(
        "history", "Show stored messages of one conversation, oldest first.", result: "history",
        errors: [.notFound, .ambiguous, .storageFailed, .notMember], hasLargeAnswer: true,
        access: .group)

    /// Which messages.
    package struct Params: ControlValue {
        /// A room, a person or a conversation id.
        package var to = ""
        /// The most messages to return, 1 to `ControlLimits.historyMessages`.
        package var limit: Int64?
        /// Only messages before this one in display order.
        package var before: String?
        /// Only messages after this one in display order.
        package var after: String?
        /// Only messages of this time or later.
        package var since: Timestamp?
        /// The message around which to read, half of them before it.
        package var around: String?
        /// Whether to begin with the oldest message, not to end with the newest.
        package var oldest: Bool?
        /// Whether to say how many older ones there are.
        package var count: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("to", &self.to, .word, ConversationParams.toSummary)
            visitor.field(
                "limit", &self.limit, .range(1...Int64(ControlLimits.historyMessages)),
                "The most messages to return; 50 by default.")
            visitor.field(
                "before", &self.before, .word,
                "Only messages before the one with this id, or 8 or more characters of its beginning."
            )
            visitor.field(
                "after", &self.after, .word,
                "Only messages after the one with this id, or the beginning of it.")
            visitor.field("since", &self.since, .any, "Only messages of this time or later.")
            visitor.field(
                "around", &self.around, .word,
                "The message with this id, or the beginning of it, in the middle of others.")
            visitor.field(
                "oldest", &self.oldest, .any,
                "Whether to begin with the oldest message; go on with after.")
            visitor.field(
                "count", &self.count, .any, "Whether to say how many messages are older.")
        }
    }

    /// Refuses several places at once.
    package static func check(_ params: Params) throws(RPCError) {
        let places = [
            params.before != nil, params.after != nil, params.around != nil, params.oldest == true,
        ].count { $0 }
        guard places > 1 else { return }
        throw .invalidParams(
            "\"before\", \"after\", \"around\" and \"oldest\" exclude each other",
            reason: "conflictingParams", remedy: "give one of them, and limit")
    }

    /// A page of messages.
    package struct Result: ControlValue {
        /// The messages, oldest first.
        package var messages: [MessageResult] = []
        /// Whether the limit left messages out that fit the question.
        package var more = false
        /// How many messages are older than the first of these, where that was asked for; one more than
        /// ``olderLimit`` for more than that.
        package var older: Int64?

        /// What others say to have of the conversation and is not here; nil where that is nothing.
        ///
        /// Left out of pages around, before or after a message.
        package var missing: [Missing]?

        /// Up to how many older messages are counted.
        package static let olderLimit: Int64 = 10_000

        /// The messages, and a little around them.
        package var expectedBytes: Int { self.messages.expectedBytes + 40 }

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("messages", &self.messages)
            visitor.field("more", &self.more)
            visitor.field("older", &self.older)
            visitor.field("missing", &self.missing)
        }
    }

    /// Messages of somebody that are not here.
    package struct Missing: ControlValue {
        /// Of how many people that is said at most, and how many are named who have something.
        package static let listed = 16

        /// Who wrote them.
        package var author = ""
        /// The name that they go by here, as `Ada@` and the beginning of the key where it is ambiguous.
        package var authorName = ""
        package var count: Int64 = 0
        /// The names of who says to have them.
        package var holders: [String] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("author", &self.author, .id)
            visitor.field("authorName", &self.authorName)
            visitor.field("count", &self.count)
            visitor.field("holders", &self.holders)
        }
    }
}
