/// The method `whois`.
public enum WhoisMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "whois", "Show who has a name.", result: "person", errors: [.notFound],
        access: .group)

    /// Whom.
    public typealias Params = PersonParams

    /// A person.
    public struct Result: ControlValue {
        /// The identity.
        public var id = ""
        /// The person whose device it is, where that is known.
        public var person: String?
        /// The name it goes by here.
        public var name = ""
        /// True where the name could be taken for that of somebody else; nil otherwise.
        public var ambiguous: Bool?
        /// How far it is trusted here.
        public var tier = TierWord.stranger
        /// Its status text.
        public var status = ""
        /// Its picture, which the method `picture` gives; nil for none.
        public var picture: PictureResult?
        /// How this node stands with it.
        public var state = PeersMethod.State.away
        /// How reachable its user is, by their own word; nil for who is linked and does not tell.
        public var presence: PresenceWord?
        /// Whether a person compared its short authentication string.
        public var verified = false
        /// Addresses with ports, the best first.
        public var addresses: [String] = []
        /// Others whom the name may mean, those the user knows first; at most `ControlLimits.candidates`.
        public var others: [PersonResult] = []

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("person", &self.person, .id)
            visitor.field("name", &self.name)
            visitor.field("ambiguous", &self.ambiguous)
            visitor.field("tier", &self.tier)
            visitor.field("status", &self.status)
            visitor.field("picture", &self.picture)
            visitor.field("state", &self.state)
            visitor.field("presence", &self.presence)
            visitor.field("verified", &self.verified)
            visitor.field("addresses", &self.addresses)
            visitor.field("others", &self.others)
        }
    }
}
