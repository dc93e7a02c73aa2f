/// The method `realmInvite`.
public enum RealmInviteMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "realmInvite", "Give the invitation to a realm; whoever has it is in the realm.",
        result: "invitation", errors: [.notFound])

    /// Which realm.
    public struct Params: ControlValue {
        /// Its name here.
        public var name = ""

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .word, "The realm's name here.")
        }
    }

    /// The invitation.
    public struct Result: ControlValue {
        /// The realm's name here.
        public var name = ""
        /// One line, which holds the secret.
        public var invite = ""

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name)
            visitor.field("invite", &self.invite)
        }
    }
}
