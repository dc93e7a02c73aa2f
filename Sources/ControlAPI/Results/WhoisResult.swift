/// The result of `whois`.
public struct WhoisResult: Equatable, Sendable {
    /// The identity.
    public var id: String
    /// The name it goes by here.
    public var name: String
    /// Its status text.
    public var status: String
    /// How this node stands with it.
    public var state: PeerResult.State
    /// Whether a person compared its short authentication string.
    public var verified: Bool
    /// Addresses with ports, the best first.
    public var addresses: [String]

    /// Makes a result.
    public init(
        id: String, name: String, status: String, state: PeerResult.State, verified: Bool,
        addresses: [String]
    ) {
        self.id = id
        self.name = name
        self.status = status
        self.state = state
        self.verified = verified
        self.addresses = addresses
    }

    /// The result as JSON.
    public var json: JSON {
        [
            "id": .string(self.id), "name": .string(self.name), "status": .string(self.status),
            "state": .string(self.state.rawValue), "verified": .bool(self.verified),
            "addresses": .strings(self.addresses),
        ]
    }
}
