/// The method `leave`.
public enum LeaveMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "leave", "Leave a room; its messages stay on this disk.", result: "left",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    /// Which room.
    public typealias Params = RoomParams

    /// The room that was left.
    public struct Result: ControlValue {
        /// The conversation's id.
        public var id = ""
        /// How the room is written here.
        public var name = ""
        /// The name of its realm here.
        public var realm = ""
        /// The room's name in its realm.
        public var room = ""

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("name", &self.name)
            visitor.field("realm", &self.realm)
            visitor.field("room", &self.room)
        }
    }
}
