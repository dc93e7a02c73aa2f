/// The result of `send`.
public struct SendResult: Equatable, Sendable {
    /// The message's id.
    public var id: String
    /// The conversation's id.
    public var conversation: String
    /// The message's cursor on this node.
    public var cursor: Int64
    /// The message's time.
    public var time: Timestamp
    /// Whether an earlier call with the same idempotency key had sent it.
    public var duplicate: Bool
    /// The peers that are known to hold it.
    public var deliveredTo: [String]

    /// Makes a result.
    public init(
        id: String, conversation: String, cursor: Int64, time: Timestamp, duplicate: Bool,
        deliveredTo: [String]
    ) {
        self.id = id
        self.conversation = conversation
        self.cursor = cursor
        self.time = time
        self.duplicate = duplicate
        self.deliveredTo = deliveredTo
    }

    /// The result as JSON.
    public var json: JSON {
        [
            "id": .string(self.id), "conversation": .string(self.conversation),
            "cursor": .integer(self.cursor), "time": .string(self.time.text),
            "duplicate": .bool(self.duplicate), "deliveredTo": .strings(self.deliveredTo),
        ]
    }
}
