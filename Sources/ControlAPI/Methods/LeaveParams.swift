/// The parameters of `leave`.
public struct LeaveParams: Equatable, Sendable {
    /// The room's name, a bare word.
    public let room: String

    /// Makes parameters for a request.
    public init(room: String) { self.room = room }

    /// Reads parameters; throws `invalidParams`.
    public init(_ params: Params) throws(RPCError) {
        self.room = try Arguments(params, for: Methods.leave).requiredString("room")
    }

    /// The parameters by name.
    public var params: Params { .named(["room": .string(self.room)]) }
}
