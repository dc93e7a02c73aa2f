/// The method `realmRotate`.
package enum RealmRotateMethod: ControlMethod {
    package static let description = MethodDescription(
        "realmRotate",
        "Replace a realm's secret; anyone without the new invitation eventually loses access.",
        result: "invitation", errors: [.notFound, .refused, .busy, .storageFailed], isChange: true,
        details:
            "Members who have not joined with the new invitation when the old secret ends "
            + "lose access; rooms and history remain.",
        reasons: [
            "oldSecretCounts": "an older secret still works; force ends it",
            "installed": "an administrator added the user to the realm",
            "openRealm": "the open realm has no secret",
        ])

    /// How long the old secret counts when the caller does not say, in days.
    package static let days: Int64 = 30

    /// Which realm, and until when the old secret counts.
    package struct Params: ControlValue {
        package var name = ""
        /// For how many days the old secret counts.
        package var days: Int64?
        /// For how many seconds; goes before days.
        package var seconds: Int64?
        /// Whether who has only the secret before the present one may be shut out at once.
        package var force: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .word, "The realm's name here.")
            visitor.field(
                "days", &self.days, .range(0...3_650),
                "How many days the old secret still works; 30 by default.")
            visitor.field(
                "seconds", &self.seconds, .range(0...315_360_000),
                "The same in seconds; overrides days.")
            visitor.field(
                "force", &self.force, .any,
                "Rotate although an older secret still works, and end that one at once.")
        }

        /// For how many seconds the old secret counts.
        package var lastingSeconds: Int64 {
            self.seconds ?? (self.days ?? RealmRotateMethod.days) * 86_400
        }
    }

    /// The new invitation.
    package typealias Result = RealmInviteMethod.Result
}
