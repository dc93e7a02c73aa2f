/// The method `realmInvite`.
package enum RealmInviteMethod: ControlMethod {
    package static let description = MethodDescription(
        "realmInvite", "Give the invitation to a realm; whoever has it is in the realm.",
        result: "invitation", errors: [.notFound])

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
        /// One line, which holds the secret.
        package var invite = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name)
            visitor.field("invite", &self.invite)
        }
    }
}
