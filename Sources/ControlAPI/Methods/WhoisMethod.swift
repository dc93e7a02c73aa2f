/// The method `whois`.
public enum WhoisMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "whois", "Show who someone is.", result: "person", errors: [.notFound, .ambiguous])

    /// Whom.
    public struct Params: ControlValue {
        /// `@` and the beginning of a name or, 8 characters or more, of a key.
        public var person = ""

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "person", &self.person, .word,
                "@ and a name, the beginning of one, or 8 or more characters of the id.")
        }
    }

    /// A person.
    public struct Result: ControlValue {
        /// The identity.
        public var id = ""
        /// The person whose device it is, where that is known.
        public var person: String?
        /// The name it goes by here.
        public var name = ""
        /// Its status text.
        public var status = ""
        /// How this node stands with it.
        public var state = PeersMethod.State.away
        /// Whether a person compared its short authentication string.
        public var verified = false
        /// Addresses with ports, the best first.
        public var addresses: [String] = []

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("person", &self.person, .id)
            visitor.field("name", &self.name)
            visitor.field("status", &self.status)
            visitor.field("state", &self.state)
            visitor.field("verified", &self.verified)
            visitor.field("addresses", &self.addresses)
        }
    }
}
