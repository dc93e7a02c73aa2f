public import Noise

/// Every decision of a daemon: what comes in is an ``Event``, what to do about it are ``Action``s.
public struct Node<Random: RandomNumberGenerator & Sendable>: Sendable {
    var random: Random
    let signer: Signer
    /// The own key.
    public let id: PeerID

    /// Creates a node from what it finds on disk; ``Event/started`` must be its first event.
    ///
    /// - Parameters:
    ///   - boot: random per start; the same as in the sessions' ``SessionIdentity``.
    ///   - random: salts and incarnations come from it, so it must not be predictable.
    public init(
        signer: Signer, boot: UInt64, configuration: NodeConfiguration, snapshot: Snapshot,
        random: Random
    ) {
        self.random = random
        self.signer = signer
        self.id = PeerID(signer.publicKey)
    }

    /// Takes an event and says what to do, in order.
    ///
    /// Reads no clock and does no I/O.
    public mutating func handle(_ event: Event, at now: Instant) -> [Action] { [] }

    /// The node as a whole.
    public func status(at now: Instant) -> NodeStatus {
        NodeStatus(
            id: self.id, name: "", links: 0, conversations: 0, held: 0, incarnation: 0,
            clockOffsetMilliseconds: 0, alerts: [])
    }

    /// Peers that are linked, being dialled or remembered, by key.
    public var peers: [PeerStatus] { [] }

    /// The latest refusals, newest first.
    public var refusals: [Refusal] { [] }

    /// Rooms that the user or a linked peer is in, by name.
    public var rooms: [RoomStatus] { [] }

    /// Conversations that the user is in, by name.
    public var conversations: [ConversationStatus] { [] }

    /// The name that a person chose; empty where none is known.
    public func profile(of peer: PeerID) -> Profile { Profile(name: "", status: "") }

    /// The name of a conversation; nil where it is not known.
    public func name(of conversation: ConversationID) -> RoomName? { nil }

    /// The conversation that a room name or a full id means.
    public func conversation(named text: String) throws(NameError) -> ConversationID {
        throw .notFound(text)
    }

    /// The person that `@name`, `@keyprefix` or a full key means.
    public func person(named text: String) throws(NameError) -> PeerID {
        throw .notFound(text)
    }
}
