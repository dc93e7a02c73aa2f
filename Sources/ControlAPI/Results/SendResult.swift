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

    /// The same as ``json``, written without a tree in between.
    public var written: JSON {
        var output: [UInt8] = []
        output.reserveCapacity(240 + 55 * self.deliveredTo.count)
        JSON.write("{\"id\":", self.id, into: &output)
        JSON.write(",\"conversation\":", self.conversation, into: &output)
        output.append(contentsOf: ",\"cursor\":\(self.cursor)".utf8)
        JSON.write(",\"time\":", self.time.text, into: &output)
        output.append(
            contentsOf: (self.duplicate ? ",\"duplicate\":true" : ",\"duplicate\":false").utf8)
        output.append(contentsOf: ",\"deliveredTo\":".utf8)
        JSON.strings(self.deliveredTo).write(into: &output)
        output.append(UInt8(ascii: "}"))
        return .written(output)
    }
}
