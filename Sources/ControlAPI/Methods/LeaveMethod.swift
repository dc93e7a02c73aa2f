/// The method `leave`.
package enum LeaveMethod: ControlMethod {
    package static let description = MethodDescription(
        "leave", "Leave a room or a group; its messages stay on this disk.", result: "left",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    package typealias Params = RoomParams

    /// The room that was left.
    package struct Result: ControlValue {
        package var id = ""
        package var name = ""
        package var realm = ""
        package var room = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The room's id.")
            visitor.field("name", &self.name, .any, "The name of the room here.")
            visitor.field("realm", &self.realm, .any, "The name of its realm here.")
            visitor.field("room", &self.room, .any, "Its name in the realm.")
        }
    }
}
