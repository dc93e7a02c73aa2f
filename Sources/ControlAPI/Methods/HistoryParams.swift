/// The parameters of `history`.
public struct HistoryParams: Equatable, Sendable {
    /// A room, `@name`, `@` and a key prefix, or a conversation id.
    public let to: String
    /// The most messages to return, 1 to `ControlLimits.historyMessages`.
    public let limit: Int
    /// Only messages before this one in display order.
    public let before: String?
    /// Only messages after this one in display order.
    public let after: String?
    /// Only messages of this time or later.
    public let since: Timestamp?

    /// Makes parameters for a request.
    public init(
        to: String, limit: Int = ControlLimits.historyMessagesDefault, before: String? = nil,
        after: String? = nil, since: Timestamp? = nil
    ) {
        self.to = to
        self.limit = limit
        self.before = before
        self.after = after
        self.since = since
    }

    /// Reads parameters; throws `invalidParams`.
    public init(_ params: Params) throws(RPCError) {
        let arguments = try Arguments(params, for: Methods.history)
        self.init(
            to: arguments.requiredString("to"),
            limit: arguments.integer("limit").map(Int.init)
                ?? ControlLimits.historyMessagesDefault,
            before: arguments.string("before"), after: arguments.string("after"),
            since: arguments.time("since"))
    }

    /// The parameters by name.
    public var params: Params {
        .named([
            "to": .string(self.to), "limit": .integer(Int64(self.limit)),
            "before": self.before.map { .string($0) }, "after": self.after.map { .string($0) },
            "since": self.since.map { .string($0.text) },
        ])
    }
}
