/// The method `whois`.
package enum WhoisMethod: ControlMethod {
    package static let description = MethodDescription(
        "whois", "Show who has a name.", result: "person", errors: [.notFound],
        access: .group)

    package typealias Params = PersonParams

    /// A person.
    package struct Result: ControlValue {
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
        /// Its picture, which the method `picture` gives; nil for none.
        package var picture: PictureResult?
        /// How this node stands with it.
        package var state = PeersMethod.State.away
        /// How reachable its user is, by their own word; nil for who is linked and does not tell.
        package var presence: PresenceWord?
        /// Whether a person compared its short authentication string.
        package var verified = false
        /// Addresses with ports, the best first.
        package var addresses: [String] = []
        /// Others whom the name may mean, those the user knows first; at most `ControlLimits.candidates`.
        package var others: [PersonResult] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
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
