/// The method `realmJoin`.
package enum RealmJoinMethod: ControlMethod {
    package static let description = MethodDescription(
        "realmJoin", "Join a realm by an invitation, or take over its new secret.",
        result: "realm", errors: [.refused, .busy, .storageFailed], isChange: true,
        details:
            "An invitation to a realm the node is in replaces its secret.",
        reasons: [
            "badInvite": "the invitation was mistyped or cut",
            "oldInvite": "it is older than the secret here",
            "realmName": "another realm here has that name",
            "tooManyRealms": "a node is in at most 8 realms with a secret",
        ])

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
                "The invitation, a line that a member gave you.")
            visitor.field("name", &self.name, .word, "A name for the realm here.")
        }
    }

    package typealias Result = RealmsMethod.Realm
}
