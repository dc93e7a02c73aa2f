/// The method `realmJoin`.
public enum RealmJoinMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "realmJoin", "Join a realm by an invitation, or take up its new secret.",
        result: "realm", errors: [.refused, .busy, .storageFailed], isChange: true)

    /// By which invitation.
    public struct Params: ControlValue {
        /// The line that `realmInvite` or `realmRotate` gave somebody who is in it.
        public var invite = ""
        /// What to call it here; nil for the name in the invitation.
        public var name: String?

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "invite", &self.invite, .bytes(ControlLimits.inviteBytes),
                "The line that somebody who is in the realm has given you.")
            visitor.field("name", &self.name, .word, "What to call it here.")
        }
    }

    /// The realm.
    public typealias Result = RealmsMethod.Realm
}
