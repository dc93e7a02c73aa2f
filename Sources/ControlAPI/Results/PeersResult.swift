/// The result of `peers`.
public struct PeersResult: Equatable, Sendable {
    /// A dial or an incoming connection that came to nothing.
    public struct Refusal: Equatable, Sendable {
        /// When it happened last.
        public let time: Timestamp
        /// The address at the other end.
        public let address: String?
        /// The identity at the other end, when it was proven.
        public let peer: String?
        /// Why.
        public let reason: String
        /// How often.
        public let count: Int

        /// Makes a refusal.
        public init(time: Timestamp, address: String?, peer: String?, reason: String, count: Int) {
            self.time = time
            self.address = address
            self.peer = peer
            self.reason = reason
            self.count = count
        }
    }

    /// The peers.
    public var peers: [PeerResult]
    /// The latest refusals.
    public var refusals: [Refusal]

    /// Makes a result.
    public init(peers: [PeerResult], refusals: [Refusal]) {
        self.peers = peers
        self.refusals = refusals
    }

    /// The result as JSON.
    public var json: JSON {
        [
            "peers": .array(self.peers.map(\.json)),
            "refusals": .array(
                self.refusals.map {
                    .members([
                        "time": .string($0.time.text), "address": $0.address.map { .string($0) },
                        "peer": $0.peer.map { .string($0) }, "reason": .string($0.reason),
                        "count": .integer(Int64($0.count)),
                    ])
                }),
        ]
    }
}

/// One peer in the result of `peers`.
public struct PeerResult: Equatable, Sendable {
    /// How this node stands with a peer.
    public enum State: String, CaseIterable, Sendable {
        /// An authenticated link is up.
        case linked
        /// A dial or a handshake is under way.
        case connecting
        /// There is no link.
        case away
        /// One of the two refused the other.
        case refused
    }

    /// How this node came to know a peer.
    public enum Source: String, CaseIterable, Sendable {
        /// DNS-SD found it.
        case discovery
        /// Configuration or `connect` named it.
        case `static`
        /// An earlier link is remembered.
        case remembered
        /// It dialled this node.
        case incoming
    }

    /// Its identity.
    public var id: String
    /// The name it goes by here.
    public var name: String
    /// Its status text.
    public var status: String
    /// How this node stands with it.
    public var state: State
    /// Addresses with ports, the best first.
    public var addresses: [String]
    /// When it was last linked; nil, written as null, when never.
    public var lastSeen: Timestamp?
    /// Whether a person compared its short authentication string.
    public var verified: Bool
    /// How this node came to know it.
    public var source: Source
    /// The round trip of the latest ping, in milliseconds.
    public var roundTripMilliseconds: Double?
    /// How far its clock is ahead of the own, in milliseconds.
    public var clockOffsetMilliseconds: Int64?

    /// Makes a peer.
    public init(
        id: String, name: String, status: String, state: State, addresses: [String],
        lastSeen: Timestamp?, verified: Bool, source: Source,
        roundTripMilliseconds: Double? = nil, clockOffsetMilliseconds: Int64? = nil
    ) {
        self.id = id
        self.name = name
        self.status = status
        self.state = state
        self.addresses = addresses
        self.lastSeen = lastSeen
        self.verified = verified
        self.source = source
        self.roundTripMilliseconds = roundTripMilliseconds
        self.clockOffsetMilliseconds = clockOffsetMilliseconds
    }

    /// The peer as JSON.
    public var json: JSON {
        .members([
            "id": .string(self.id), "name": .string(self.name),
            "status": .string(self.status), "state": .string(self.state.rawValue),
            "addresses": .strings(self.addresses),
            "lastSeen": self.lastSeen.map { .string($0.text) } ?? .null,
            "verified": .bool(self.verified), "source": .string(self.source.rawValue),
            "roundTripMilliseconds": self.roundTripMilliseconds.map { .number($0) },
            "clockOffsetMilliseconds": self.clockOffsetMilliseconds.map { .integer($0) },
        ])
    }
}
