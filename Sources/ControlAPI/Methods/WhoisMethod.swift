/// The method `whois`.
package enum WhoisMethod: ControlMethod {
    package static let description = MethodDescription(
        "whois", "Show who a name belongs to.", result: "person", errors: [.notFound],
        access: .group,
        details:
            "others lists who else the name may mean; the first match is the one at the "
            + "top.")

    package typealias Params = PersonParams

    /// A person.
    package struct Result: ControlValue {
        package var id = ""
        package var person: String?
        package var name = ""
        package var ambiguous: Bool?
        package var tier = TierWord.stranger
        package var status = ""
        package var picture: PictureResult?
        package var state = PeersMethod.State.away
        package var presence: PresenceWord?
        package var verified = false
        package var addresses: [String] = []
        package var others: [PersonResult] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The person's device.")
            visitor.field("person", &self.person, .id, "The person's id, if known.")
            visitor.field("name", &self.name, .any, "The person's name here.")
            visitor.field(
                "ambiguous", &self.ambiguous, .any,
                "True if the name could be mistaken for another person's, for a key or for no name; show the beginning of the key with it."
            )
            visitor.field("tier", &self.tier, .any, "How far the person is trusted, as in peers.")
            visitor.field("status", &self.status, .any, "The person's status text.")
            visitor.field(
                "picture", &self.picture, .any, "The person's picture; left out if there is none.")
            visitor.field("state", &self.state, .any, "As in peers.")
            visitor.field("presence", &self.presence, .any, "As in peers.")
            visitor.field(
                "verified", &self.verified, .any,
                "Whether the user has compared keys with the person.")
            visitor.field(
                "addresses", &self.addresses, .any, "The person's addresses with ports, best first."
            )
            visitor.field(
                "others", &self.others, .any,
                "Others the name may mean, at most 32, contacts first.")
        }
    }
}
