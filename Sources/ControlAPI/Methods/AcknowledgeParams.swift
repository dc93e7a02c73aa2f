/// The parameters of `acknowledge`: a consumer, a conversation, or both.
public struct AcknowledgeParams: Equatable, Sendable {
    /// The durable consumer whose position moves.
    public let consumer: String?
    /// The conversation that the user has read: a room, a person or a conversation id.
    public let conversation: String?
    /// The last cursor processed or read.
    public let cursor: Int64

    /// Makes parameters for a request; one of the first two must be given.
    public init(consumer: String? = nil, conversation: String? = nil, cursor: Int64) {
        self.consumer = consumer
        self.conversation = conversation
        self.cursor = cursor
    }

    /// Reads parameters; throws `invalidParams`, also when neither consumer nor conversation is
    /// named.
    public init(_ params: Params) throws(RPCError) {
        let arguments = try Arguments(params, for: Methods.acknowledge)
        self.init(
            consumer: arguments.string("consumer"),
            conversation: arguments.string("conversation"),
            cursor: arguments.requiredInteger("cursor"))
        guard self.consumer != nil || self.conversation != nil else {
            throw .invalidParams(
                "acknowledge needs \"consumer\" or \"conversation\"", reason: "missingParam",
                remedy: "say whose position moves",
                details: [JSON.Member("param", "consumer")])
        }
    }

    /// The parameters by name.
    public var params: Params {
        .named([
            "consumer": self.consumer.map { .string($0) },
            "conversation": self.conversation.map { .string($0) },
            "cursor": .integer(self.cursor),
        ])
    }
}
