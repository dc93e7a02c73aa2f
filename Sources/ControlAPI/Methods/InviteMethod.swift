/// The method `invite`.
public enum InviteMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "invite", "Give the line that invites to a secret room; whoever has it can be in it.",
        result: "invitation", errors: [.notFound, .ambiguous, .refused])

    /// Which room.
    public typealias Params = RoomParams

    /// The invitation.
    public struct Result: ControlValue {
        /// How the room is written here.
        public var name = ""
        /// One line, which holds the room's key.
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
