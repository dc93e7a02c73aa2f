/// The method `subscribe`.
package enum SubscribeMethod: ControlMethod {
    package static let description = MethodDescription(
        "subscribe",
        "Follow messages as they arrive, by notifications until unsubscribe or the end of "
            + "the connection.",
        result: "subscribed",
        errors: [.notFound, .ambiguous, .storageFailed, .notMember, .refused], access: .group,
        details:
            "Stored changes come first, then new ones, in the order of their cursors and "
            + "without a gap between them. Without from, a consumer continues after its last "
            + "acknowledgement, anyone else gets only what is new. With to, only changes of "
            + "that conversation come; alerts, requests and realms belong to none. Changes "
            + "left out by authors, notMine or mentions count as given.",
        reasons: [
            "consumerInUse": "the consumer has a reader; takeOver ends it",
            "ownerOnly":
                "a member of the socket's group may not subscribe to requests, settings or calls",
        ],
        example: ["to": "ops", "consumer": "pager"])

    /// What to follow, and from where.
    package struct Params: ControlValue {
        /// A room, a person or a conversation id; nil for all conversations.
        package var to: String?
        /// The last cursor already processed; what follows it comes.
        ///
        /// Nil: after the newest message, or after what the consumer acknowledged.
        package var from: Int64?
        /// The name of a durable consumer.
        package var consumer: String?
        /// Whether to end another live reader of the same consumer and conversation.
        package var takeOver: Bool?

        /// Which kinds of change; nil for messages alone.
        package var kinds: [ChangeKind]?
        /// Which kinds of messages; nil for all.
        package var messages: [MessageResult.Kind]?
        /// Whose: people as they are written, with `@`; nil for everybody's.
        package var authors: [String]?
        /// Whether what the user has written themselves is left out.
        package var notMine: Bool?
        /// Whether only messages come that call the user by name or answer them.
        package var mentions: Bool?
        /// Which durable streams, by name; nil for all.
        package var streams: [String]?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "to", &self.to, .word,
                "A room (bare word), @name, @ and at least 8 characters of an id, or a conversation id; left out: all conversations."
            )
            visitor.field(
                "from", &self.from, .range(0...Int64.max),
                "The last cursor already processed; 0 for everything. Left out: after the last one the consumer acknowledged, or the newest."
            )
            visitor.field(
                "consumer", &self.consumer, .word,
                "A durable consumer: its position is stored, and moved by acknowledge.")
            visitor.field(
                "takeOver", &self.takeOver, .any,
                "Whether to end another live reader of this consumer instead of being refused.")
            visitor.field(
                "kinds", &self.kinds, .any,
                "Which kinds of change: message, conversation, alert, request, deleted, edited, reaction, delivery, peer, stream, person, setting, presence, typing, picture, list, members, missing, call, roster. Left out: message."
            )
            visitor.field(
                "messages", &self.messages, .any,
                "Only messages of these kinds: text, action, location, file, call, join, leave, unknown."
            )
            visitor.field(
                "authors", &self.authors, .any,
                "Only what these people wrote: @names, or @ and at least 8 characters of an id."
            )
            visitor.field(
                "notMine", &self.notMine, .any,
                "Whether to leave out what you wrote yourself, on any device.")
            visitor.field(
                "mentions", &self.mentions, .any,
                "Whether to get only messages that name you or answer you.")
            visitor.field(
                "streams", &self.streams, .any,
                "With the kind stream: only streams of these names.")
        }
    }

    /// Refuses a choice of nothing.
    package static func check(_ params: Params) throws(RPCError) {
        guard (params.authors?.count ?? 0) <= DeliveryMembers.namedLimit else {
            throw .invalidParams(
                "subscribe takes at most \(DeliveryMembers.namedLimit) \"authors\"",
                reason: "badParam", remedy: "name fewer people",
                details: [JSON.Member("param", "authors")])
        }
        guard (params.streams?.count ?? 0) <= ControlLimits.candidates else {
            throw .invalidParams(
                "subscribe takes at most \(ControlLimits.candidates) \"streams\"",
                reason: "badParam", remedy: "name fewer, or leave streams out for all",
                details: [JSON.Member("param", "streams")])
        }
        guard params.kinds?.isEmpty ?? false else { return }
        throw .invalidParams(
            "subscribe needs at least one of \"kinds\"", reason: "badParam",
            remedy: "name at least one kind, or leave kinds out for messages",
            details: [JSON.Member("param", "kinds")])
    }

    /// The subscription.
    package struct Result: ControlValue {
        package var subscription: Int64 = 0
        package var cursor: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "subscription", &self.subscription, .any,
                "The number of the subscription on this connection.")
            visitor.field("cursor", &self.cursor, .any, "The cursor after which changes come.")
        }
    }
}
