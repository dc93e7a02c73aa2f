/// A request whose method exists and whose parameters fit: what a daemon acts upon.
public enum MethodCall: Equatable, Sendable {
    /// State of the daemon.
    case status
    /// All peers and the latest refusals.
    case peers
    /// The rooms known here.
    case rooms
    /// The conversations this node is in.
    case conversations
    /// Enters a room.
    case join(JoinParams)
    /// Leaves a room.
    case leave(LeaveParams)
    /// Sends a message.
    case send(SendParams)
    /// Reads messages that are stored.
    case history(HistoryParams)
    /// Follows messages as they arrive.
    case subscribe(SubscribeParams)
    /// Notes what a consumer has processed or the user has read.
    case acknowledge(AcknowledgeParams)
    /// Ends a subscription.
    case unsubscribe(UnsubscribeParams)
    /// Dials an address.
    case connect(ConnectParams)
    /// Shows or changes the own profile.
    case profile(ProfileParams)
    /// Shows one person.
    case whois(WhoisParams)
    /// Describes this API.
    case discover

    /// Looks the method up and checks its parameters.
    ///
    /// Throws `methodNotFound`, `invalidParams` or, for a text beyond its limit, `tooLarge`.
    public init(_ request: Request) throws(RPCError) {
        let params = request.params
        switch request.method {
        case "status":
            _ = try Arguments(params, for: Methods.status)
            self = .status
        case "peers":
            _ = try Arguments(params, for: Methods.peers)
            self = .peers
        case "rooms":
            _ = try Arguments(params, for: Methods.rooms)
            self = .rooms
        case "conversations":
            _ = try Arguments(params, for: Methods.conversations)
            self = .conversations
        case "join": self = .join(try JoinParams(params))
        case "leave": self = .leave(try LeaveParams(params))
        case "send": self = .send(try SendParams(params))
        case "history": self = .history(try HistoryParams(params))
        case "subscribe": self = .subscribe(try SubscribeParams(params))
        case "acknowledge": self = .acknowledge(try AcknowledgeParams(params))
        case "unsubscribe": self = .unsubscribe(try UnsubscribeParams(params))
        case "connect": self = .connect(try ConnectParams(params))
        case "profile": self = .profile(try ProfileParams(params))
        case "whois": self = .whois(try WhoisParams(params))
        case "rpc.discover":
            _ = try Arguments(params, for: Methods.discover)
            self = .discover
        default: throw .methodNotFound(request.method)
        }
    }
}
