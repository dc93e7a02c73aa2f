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

    /// The notification as one line with its newline.
    public var line: [UInt8] { self.json.line }
}
