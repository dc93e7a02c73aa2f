/// The method `realmLeave`.
package enum RealmLeaveMethod: ControlMethod {
    package static let description = MethodDescription(
        "realmLeave", "Leave a realm; the messages of its rooms stay on this disk.",
        result: "left", errors: [.notFound, .refused, .busy, .storageFailed], isChange: true,
        details:
            "Deletes the realm's secret.",
        reasons: [
            "installed": "an administrator added the user to the realm",
            "openRealm": "the open realm is left with OpenRealm=no",
            "unknownRealm": "there is no such realm here",
        ])

    package typealias Params = RealmInviteMethod.Params

    /// The realm that was left.
    package struct Result: ControlValue {
        package var name = ""
        package var rooms: [String] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .any, "The realm's name here; its rooms keep it.")
            visitor.field(
                "rooms", &self.rooms, .any, "Its rooms, which can be read but get no new messages.")
        }
    }
}
