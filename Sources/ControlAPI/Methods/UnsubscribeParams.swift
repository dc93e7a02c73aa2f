/// The parameters of `unsubscribe`.
public struct UnsubscribeParams: Equatable, Sendable {
    /// The number that `subscribe` returned on this connection.
    public let subscription: Int64

    /// Makes parameters for a request.
    public init(subscription: Int64) { self.subscription = subscription }

    /// Reads parameters; throws `invalidParams`.
    public init(_ params: Params) throws(RPCError) {
        self.subscription = try Arguments(params, for: Methods.unsubscribe)
            .requiredInteger("subscription")
    }

    /// The parameters by name.
    public var params: Params { .named(["subscription": .integer(self.subscription)]) }
}
