/// The parameters of `subscribe`.
public struct SubscribeParams: Equatable, Sendable {
    /// A room, `@name`, `@` and a key prefix, or a conversation id; nil for all conversations.
    public let to: String?
    /// The last cursor already processed; events after it come.
    ///
    /// Nil: after the newest event, or after what the consumer acknowledged.
    public let from: Int64?
    /// The name of a durable consumer.
    public let consumer: String?

    /// Makes parameters for a request.
    public init(to: String? = nil, from: Int64? = nil, consumer: String? = nil) {
        self.to = to
        self.from = from
        self.consumer = consumer
    }

    /// Reads parameters; throws `invalidParams`.
    public init(_ params: Params) throws(RPCError) {
        let arguments = try Arguments(params, for: Methods.subscribe)
        self.init(
            to: arguments.string("to"), from: arguments.integer("from"),
            consumer: arguments.string("consumer"))
    }

    /// The parameters by name.
    public var params: Params {
        .named([
            "to": self.to.map { .string($0) }, "from": self.from.map { .integer($0) },
            "consumer": self.consumer.map { .string($0) },
        ])
    }
}
