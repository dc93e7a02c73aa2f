/// What a subscriber is told without asking.
public enum Notification: Equatable, Sendable {
    /// A message arrived or was sent.
    case message(subscription: Int64, MessageResult)
    /// The events after `from` up to and including `to` cannot be given.
    case gap(subscription: Int64, from: Int64, to: Int64, reason: String)

    /// The notification as JSON.
    public var json: JSON {
        switch self {
        case .message(let subscription, let message):
            [
                "jsonrpc": "2.0", "method": "message",
                "params": ["subscription": .integer(subscription), "message": message.json],
            ]
        case .gap(let subscription, let from, let to, let reason):
            [
                "jsonrpc": "2.0", "method": "gap",
                "params": [
                    "subscription": .integer(subscription), "from": .integer(from),
                    "to": .integer(to), "reason": .string(reason),
                ],
            ]
        }
    }

    /// The notification as one line with its newline: the same bytes that ``json`` gives.
    ///
    /// A message is what subscribers get most of, so it is written without a tree in between.
    public var line: [UInt8] {
        var output: [UInt8] = []
        if case .message(_, let message) = self { output.reserveCapacity(message.roomBytes) }
        self.write(into: &output)
        return output
    }

    /// Appends ``line``.
    public func write(into output: inout [UInt8]) {
        guard case .message(let subscription, let message) = self else {
            output.append(contentsOf: self.json.line)
            return
        }
        output.append(contentsOf: Self.beforeSubscription.utf8)
        output.append(contentsOf: String(subscription).utf8)
        output.append(contentsOf: ",\"message\":".utf8)
        message.write(into: &output)
        output.append(contentsOf: "}}\n".utf8)
    }

    private static let beforeSubscription =
        #"{"jsonrpc":"2.0","method":"message","params":{"subscription":"#
}
