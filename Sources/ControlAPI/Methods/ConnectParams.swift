/// The parameters of `connect`.
public struct ConnectParams: Equatable, Sendable {
    /// `HOST:PORT`, or `KEY@HOST:PORT` to demand that identity there.
    public let address: String

    /// Makes parameters for a request.
    public init(address: String) { self.address = address }

    /// Reads parameters, but does not take the address apart; throws `invalidParams`.
    public init(_ params: Params) throws(RPCError) {
        self.address = try Arguments(params, for: Methods.connect).requiredString("address")
    }

    /// The parameters by name.
    public var params: Params { .named(["address": .string(self.address)]) }
}
