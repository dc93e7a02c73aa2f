/// The result of `history`.
public struct HistoryResult: Equatable, Sendable {
    /// The messages, oldest first.
    public var messages: [MessageResult]
    /// Whether the limit left messages out that fit the question.
    public var more: Bool

    /// Makes a result.
    public init(messages: [MessageResult], more: Bool) {
        self.messages = messages
        self.more = more
    }

    /// The result as JSON.
    public var json: JSON {
        ["messages": .array(self.messages.map(\.json)), "more": .bool(self.more)]
    }

    /// The same as ``json``, written without a tree in between.
    public var written: JSON {
        var output: [UInt8] = []
        output.reserveCapacity(self.messages.reduce(64) { $0 + $1.roomBytes })
        output.append(contentsOf: "{\"messages\":[".utf8)
        for (index, message) in self.messages.enumerated() {
            if index > 0 { output.append(UInt8(ascii: ",")) }
            message.write(into: &output)
        }
        output.append(contentsOf: (self.more ? "],\"more\":true}" : "],\"more\":false}").utf8)
        return .written(output)
    }
}
