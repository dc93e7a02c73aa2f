/// The method `realmJoin`.
package enum RealmJoinMethod: ControlMethod {
    package static let description = MethodDescription(
        "realmJoin", "Join a realm by an invitation, or take up its new secret.",
        result: "realm", errors: [.refused, .busy, .storageFailed], isChange: true)

    /// By which invitation.
    package struct Params: ControlValue {
        /// The line that `realmInvite` or `realmRotate` gave somebody who is in it.
        package var invite = ""
        /// What to call it here; nil for the name in the invitation.
        package var name: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "invite", &self.invite, .bytes(ControlLimits.inviteBytes),
                "The line that somebody who is in the realm has given you.")
            visitor.field("name", &self.name, .word, "What to call it here.")
        }
    }

    package typealias Result = RealmsMethod.Realm
}
