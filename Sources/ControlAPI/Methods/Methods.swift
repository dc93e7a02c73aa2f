/// The method table: the one place that says what the control API has.
///
/// `MethodCall` reads requests by it, and `OpenRPC.document` is made from it.
public enum Methods {
    /// All methods in the order of the documentation.
    public static let all: [MethodDescription] = [
        Self.status, Self.peers, Self.rooms, Self.conversations, Self.join, Self.leave,
        Self.send, Self.history, Self.subscribe, Self.acknowledge, Self.unsubscribe,
        Self.connect, Self.profile, Self.whois, Self.discover,
    ]

    static let status = MethodDescription(
        "status", "The state of this daemon.", result: "status", Schemas.status)

    static let peers = MethodDescription(
        "peers", "All peers known here, and the latest refusals with their reasons.",
        result: "peers", Schemas.peers)

    static let rooms = MethodDescription(
        "rooms", "The open rooms that this node or a linked peer is in.",
        result: "rooms", Schemas.list(of: "Room"))

    static let conversations = MethodDescription(
        "conversations", "The conversations that this node is in.",
        result: "conversations", Schemas.list(of: "Conversation"), errors: [.storageFailed])

    static let join = MethodDescription(
        "join", "Enters a room; joining a room again changes nothing.",
        params: [
            ParamDescription(
                "room", .string(maxBytes: ControlLimits.wordBytes), required: true,
                "The room's name, a bare word.")
        ],
        result: "conversation", Schemas.reference("Conversation"),
        errors: [.refused, .tooLarge, .storageFailed])

    static let leave = MethodDescription(
        "leave", "Leaves a room; what is stored stays.",
        params: [
            ParamDescription(
                "room", .string(maxBytes: ControlLimits.wordBytes), required: true,
                "The room's name, a bare word.")
        ],
        result: "left", Schemas.object(["id": Schemas.identifier, "name": Schemas.string]),
        errors: [.notFound, .notMember, .storageFailed])

    static let send = MethodDescription(
        "send",
        "Sends a message; answers when it is on disk here, or when another member holds it.",
        params: [
            Self.to(required: true),
            ParamDescription(
                "text", .text, required: true,
                "The text, 1 to \(ControlLimits.textBytes) bytes of UTF-8."),
            ParamDescription(
                "idempotencyKey", .string(maxBytes: ControlLimits.wordBytes),
                "The client's own name for this message. The same key in the same conversation "
                    + "sends nothing again and returns the first message as duplicate."),
            ParamDescription(
                "wait", .word(SendParams.Wait.allCases.map(\.rawValue)),
                "What to wait for: sent (default) or delivered."),
            ParamDescription(
                "timeoutMilliseconds", .integer(1...ControlLimits.waitMilliseconds),
                "How long to wait for a delivery; "
                    + "\(ControlLimits.waitMillisecondsDefault) by default."),
        ],
        result: "sent", Schemas.sent,
        errors: [
            .notFound, .ambiguous, .storageFailed, .notMember, .deliveryTimeout, .refused,
            .tooLarge,
        ])

    static let history = MethodDescription(
        "history", "Stored messages of one conversation in display order, the newest by default.",
        params: [
            Self.to(required: true),
            ParamDescription(
                "limit", .integer(1...Int64(ControlLimits.historyMessages)),
                "The most messages to return; \(ControlLimits.historyMessagesDefault) by default."),
            ParamDescription("before", .identifier, "Only messages before the one with this id."),
            ParamDescription("after", .identifier, "Only messages after the one with this id."),
            ParamDescription("since", .time, "Only messages of this time or later."),
        ],
        result: "history", Schemas.history,
        errors: [.notFound, .ambiguous, .storageFailed, .notMember])

    static let subscribe = MethodDescription(
        "subscribe",
        "Follows messages: the notifications message and gap come until unsubscribe or the end "
            + "of the connection.",
        params: [
            Self.to(required: false),
            ParamDescription(
                "from", .integer(0...Int64.max),
                "The last cursor already processed; what follows it comes. 0: everything. Left "
                    + "out: what the consumer has not acknowledged, else only what is new."),
            ParamDescription(
                "consumer", .string(maxBytes: ControlLimits.wordBytes),
                "A durable consumer, whose position acknowledge moves and restarts keep."),
        ],
        result: "subscribed",
        Schemas.object([
            "subscription": Schemas.integer, "cursor": Schemas.integer,
        ]),
        errors: [.notFound, .ambiguous, .storageFailed, .notMember])

    static let acknowledge = MethodDescription(
        "acknowledge",
        "Notes what a consumer has processed, or what the user has read of a conversation; "
            + "never moves back.",
        params: [
            ParamDescription(
                "consumer", .string(maxBytes: ControlLimits.wordBytes),
                "The durable consumer whose position moves."),
            ParamDescription(
                "conversation", .string(maxBytes: ControlLimits.wordBytes),
                "The conversation that the user has read: a room, @person or id."),
            ParamDescription(
                "cursor", .integer(0...Int64.max), required: true,
                "The last cursor processed or read."),
        ],
        result: "acknowledged", Schemas.object([:]),
        errors: [.notFound, .ambiguous, .storageFailed])

    static let unsubscribe = MethodDescription(
        "unsubscribe", "Ends a subscription of this connection.",
        params: [
            ParamDescription(
                "subscription", .integer(0...Int64.max), required: true,
                "The number that subscribe returned.")
        ],
        result: "unsubscribed", Schemas.object([:]), errors: [.notFound])

    static let connect = MethodDescription(
        "connect", "Dials an address and remembers it as a static peer.",
        params: [
            ParamDescription(
                "address", .string(maxBytes: ControlLimits.wordBytes), required: true,
                "HOST:PORT, [IPv6]:PORT, or KEY@ before either to demand that identity.")
        ],
        result: "dialling", Schemas.object(["address": Schemas.string]),
        errors: [.refused])

    static let profile = MethodDescription(
        "profile", "Shows the own profile; changes what is given.",
        params: [
            ParamDescription(
                "name", .string(maxBytes: ControlLimits.wordBytes), "The new name."),
            ParamDescription("status", .text, "The new status text; empty for none."),
        ],
        result: "profile",
        Schemas.object([
            "id": Schemas.identifier, "name": Schemas.string, "status": Schemas.string,
        ]),
        errors: [.refused, .tooLarge, .storageFailed])

    static let whois = MethodDescription(
        "whois", "Shows one person.",
        params: [
            ParamDescription(
                "person", .string(maxBytes: ControlLimits.wordBytes), required: true,
                "@name, or @ and 8 or more characters of the id.")
        ],
        result: "person", Schemas.person, errors: [.notFound, .ambiguous])

    static let discover = MethodDescription(
        "rpc.discover", "This document.", result: "openrpc",
        ["type": "object", "description": "An OpenRPC 1.2 document."])

    private static func to(required: Bool) -> ParamDescription {
        ParamDescription(
            "to", .string(maxBytes: ControlLimits.wordBytes), required: required,
            "A room (bare word), @name, @ and 8 or more characters of an id, or a conversation id"
                + (required ? "." : "; left out: all conversations."))
    }
}
