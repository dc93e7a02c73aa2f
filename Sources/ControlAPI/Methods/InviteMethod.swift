/// The method `invite`.
package enum InviteMethod: ControlMethod {
    package static let description = MethodDescription(
        "invite", "Give the line that invites to a secret room; whoever has it can be in it.",
        result: "invitation", errors: [.notFound, .ambiguous, .refused])

    package typealias Params = RoomParams

    /// The invitation.
    package struct Result: ControlValue {
        /// How the room is written here.
        package var name = ""
        /// One line, which holds the room's key.
        package var invite = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name)
            visitor.field("invite", &self.invite)
        }
    }
}
