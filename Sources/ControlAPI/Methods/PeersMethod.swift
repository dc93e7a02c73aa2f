/// The method `peers`.
package enum PeersMethod: ControlMethod {
    package static let description = MethodDescription(
        "peers", "List known peers, with failed dials and refused connections.", result: "peers",
        hasLargeAnswer: true, access: .group,
        details:
            "The most trusted peers come first.")

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
        /// Its own record says where it is, which a member of a common realm has passed on.
        case record
    }

    package struct Peer: ControlValue {
        package var id = ""
        package var person: String?
        package var name = ""
        package var ambiguous: Bool?
        package var tier = TierWord.stranger
        package var status = ""
        package var state = State.away
        package var presence: PresenceWord?
        package var addresses: [String] = []
        package var lastSeen: Timestamp?
        package var verified = false
        package var source = Source.discovery
        package var roundTripMilliseconds: Double?
        package var clockOffsetMilliseconds: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The peer's identity.")
            visitor.field("person", &self.person, .id, "The person whose device it is, if known.")
            visitor.field("name", &self.name, .any, "The peer's name here.")
            visitor.field(
                "ambiguous", &self.ambiguous, .any,
                "True if the name could be mistaken for another person's, for a key or for no name; show the beginning of the key with it."
            )
            visitor.field(
                "tier", &self.tier, .any,
                "How far the peer is trusted: blocked, stranger, fellow (shares a realm that has a secret), known (a contact), verified (keys compared) or own."
            )
            visitor.field("status", &self.status, .any, "The person's status text.")
            visitor.field(
                "state", &self.state, .any, "linked, connecting, away (no link) or refused.")
            visitor.field(
                "presence", &self.presence, .any,
                "online or away as the person says; offline without a link; left out if linked and not told."
            )
            visitor.field(
                "addresses", &self.addresses, .any, "Its addresses with ports, best first.")
            visitor.field("lastSeen", &self.lastSeen, .orNull, "When last linked; null if never.")
            visitor.field(
                "verified", &self.verified, .any,
                "Whether the user has compared keys with the person.")
            visitor.field(
                "source", &self.source, .any,
                "How it was found: discovery, static (configured or connected to), remembered (from an earlier link) or incoming (it dialled this node)."
            )
            visitor.field(
                "roundTripMilliseconds", &self.roundTripMilliseconds, .any,
                "The round trip of the latest ping, in milliseconds.")
            visitor.field(
                "clockOffsetMilliseconds", &self.clockOffsetMilliseconds, .any,
                "How far its clock is ahead of this one, in milliseconds.")
        }
    }
}
