/// The method `leave`.
package enum LeaveMethod: ControlMethod {
    package static let description = MethodDescription(
        "leave", "Leave a room; its messages stay on this disk.", result: "left",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    package typealias Params = RoomParams

    /// The room that was left.
    package struct Result: ControlValue {
        package var id = ""
        /// How the room is written here.
        package var name = ""
        /// The name of its realm here.
        package var realm = ""
        /// The room's name in its realm.
        package var room = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("name", &self.name)
            visitor.field("realm", &self.realm)
            visitor.field("room", &self.room)
        }
    }
}
