/// The parameters of `profile`; without any it only shows.
public struct ProfileParams: Equatable, Sendable {
    /// The new name.
    public let name: String?
    /// The new status text; empty to have none.
    public let status: String?

    /// Makes parameters for a request.
    public init(name: String? = nil, status: String? = nil) {
        self.name = name
        self.status = status
    }

    /// Reads parameters; throws `invalidParams`, or `tooLarge` for the status.
    public init(_ params: Params) throws(RPCError) {
        let arguments = try Arguments(params, for: Methods.profile)
        self.init(name: arguments.string("name"), status: arguments.string("status"))
        guard self.status?.utf8.count ?? 0 <= ControlLimits.wordBytes else {
            throw .tooLarge(
                "the status", bytes: self.status?.utf8.count ?? 0, limit: ControlLimits.wordBytes,
                remedy: "shorten it")
        }
    }

    /// The parameters by name.
    public var params: Params {
        .named([
            "name": self.name.map { .string($0) }, "status": self.status.map { .string($0) },
        ])
    }
}
