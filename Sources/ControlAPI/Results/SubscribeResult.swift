/// The result of `subscribe`.
public struct SubscribeResult: Equatable, Sendable {
    /// The number of the subscription on this connection.
    public var subscription: Int64
    /// The cursor after which events come.
    public var cursor: Int64

    /// Makes a result.
    public init(subscription: Int64, cursor: Int64) {
        self.subscription = subscription
        self.cursor = cursor
    }

    /// The result as JSON.
    public var json: JSON {
        ["subscription": .integer(self.subscription), "cursor": .integer(self.cursor)]
    }
}
