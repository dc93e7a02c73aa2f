/// The method `realmInvite`.
package enum RealmInviteMethod: ControlMethod {
    package static let description = MethodDescription(
        "realmInvite", "Show the invitation to a realm; anyone who has it is in the realm.",
        result: "invitation", errors: [.notFound],
        reasons: [
            "openRealm": "the open realm has no secret",
            "unknownRealm": "there is no such realm here",
        ])

    package struct Params: ControlValue {
        package var name = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .word, "The realm's name here.")
        }
    }

    /// The invitation.
    package struct Result: ControlValue {
        package var name = ""
        package var invite = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .any, "The realm's name here.")
            visitor.field(
                "invite", &self.invite, .any,
                "The invitation: one line that holds the realm's secret.")
        }
    }
}
