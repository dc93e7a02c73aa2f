/// The method `peers`.
package enum PeersMethod: ControlMethod {
    package static let description = MethodDescription(
        "peers", "List the peers known here, with dials that failed and refusals.", result: "peers",
        hasLargeAnswer: true, access: .group)

    package typealias Params = PageParams

    /// Those first who are trusted most, then by key.
    package typealias Result = Page<Peer>

    /// How this node stands with a peer.
    package enum State: String, WordValue {
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
    package enum Source: String, WordValue {
        /// DNS-SD found it.
        case discovery
        /// Configuration or `connect` named it.
        case `static`
        /// An earlier link is remembered.
        case remembered
        /// It dialled this node.
        case incoming
    }

    package struct Peer: ControlValue {
        package var id = ""
        /// The person whose device it is, where that is known.
        package var person: String?
        /// The name it goes by here.
        package var name = ""
        /// True where the name could be taken for that of somebody else; nil otherwise.
        package var ambiguous: Bool?
        /// How far it is trusted here.
        package var tier = TierWord.stranger
        /// Its status text.
        package var status = ""
        /// How this node stands with it.
        package var state = State.away
        /// How reachable its user is, by their own word; nil for who is linked and does not tell.
        package var presence: PresenceWord?
        /// Addresses with ports, the best first.
        package var addresses: [String] = []
        /// When it was last linked; nil, written as null, when never.
        package var lastSeen: Timestamp?
        /// Whether a person compared its short authentication string.
        package var verified = false
        /// How this node came to know it.
        package var source = Source.discovery
        /// The round trip of the latest ping, in milliseconds.
        package var roundTripMilliseconds: Double?
        /// How far its clock is ahead of the own, in milliseconds.
        package var clockOffsetMilliseconds: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("person", &self.person, .id)
            visitor.field("name", &self.name)
            visitor.field("ambiguous", &self.ambiguous)
            visitor.field("tier", &self.tier)
            visitor.field("status", &self.status)
            visitor.field("state", &self.state)
            visitor.field("presence", &self.presence)
            visitor.field("addresses", &self.addresses)
            visitor.field("lastSeen", &self.lastSeen, .orNull)
            visitor.field("verified", &self.verified)
            visitor.field("source", &self.source)
            visitor.field("roundTripMilliseconds", &self.roundTripMilliseconds)
            visitor.field("clockOffsetMilliseconds", &self.clockOffsetMilliseconds)
        }
    }
}
