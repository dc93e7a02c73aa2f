/// The method `history`.
package enum HistoryMethod: ControlMethod {
    package static let description = MethodDescription(
        "history", "Show stored messages of a conversation, oldest first.", result: "history",
        errors: [.notFound, .ambiguous, .storageFailed, .notMember], hasLargeAnswer: true,
        access: .group,
        details:
            "before, after and around are message ids or their beginnings. Display order is "
            + "the same on every node. If more is true, page back with before and the first "
            + "id, or forward with after and the last. Long messages may make an answer "
            + "shorter than limit.",
        reasons: [
            "conflictingParams": "two of before, after, around and oldest",
            "unknownMessage": "there is no such message here",
        ],
        example: ["to": "ops", "limit": 20])

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
                "Only messages before the one with this id, or at least its first 8 characters."
            )
            visitor.field(
                "after", &self.after, .word,
                "Only messages after the one with this id, or at least its first 8 characters.")
            visitor.field("since", &self.since, .any, "Only messages since this time.")
            visitor.field(
                "around", &self.around, .word,
                "The message with this id, or at least its first 8 characters, with messages around it."
            )
            visitor.field(
                "oldest", &self.oldest, .any,
                "Whether to start with the oldest message; go on with after.")
            visitor.field(
                "count", &self.count, .any, "Whether to count the older messages.")
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
            reason: "conflictingParams", remedy: "give only one of them")
    }

    /// A page of messages.
    package struct Result: ControlValue {
        package var messages: [MessageResult] = []
        package var more = false
        package var older: Int64?

        package var missing: [MissingResult]?
        package var moreMissing: Int64?

        /// Up to how many older messages are counted.
        package static let olderLimit: Int64 = 10_000

        /// The messages, and a little around them.
        package var expectedBytes: Int { self.messages.expectedBytes + 40 }

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("messages", &self.messages, .any, "The messages, oldest first.")
            visitor.field(
                "more", &self.more, .any, "Whether the limit left out messages that match.")
            visitor.field(
                "older", &self.older, .any,
                "How many messages are older than the first of these, if count was given; 10,001 means more than 10,000."
            )
            visitor.field(
                "missing", &self.missing, .any,
                "Messages that exist and are not here, by author, contacts first, at most 16; left out if none are, and with before, after or around."
            )
            visitor.moreMissing(&self.moreMissing)
        }
    }
}
