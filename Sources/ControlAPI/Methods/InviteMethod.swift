/// The method `invite`.
package enum InviteMethod: ControlMethod {
    package static let description = MethodDescription(
        "invite", "Show the invitation to a secret room; anyone who has it can join.",
        result: "invitation", errors: [.notFound, .ambiguous, .refused],
        details:
            "Nobody can be removed from a secret room; create another one instead.",
        reasons: [
            "notSecret": "the room is open"
        ])

    package typealias Params = RoomParams

    /// The invitation.
    package struct Result: ControlValue {
        package var name = ""
        package var invite = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .any, "The name of the room here.")
            visitor.field(
                "invite", &self.invite, .any, "The invitation: one line that holds the room's key.")
        }
    }
}
