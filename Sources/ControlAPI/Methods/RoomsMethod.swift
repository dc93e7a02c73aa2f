/// The method `rooms`.
package enum RoomsMethod: ControlMethod {
    package static let description = MethodDescription(
        "rooms", "List the open rooms that you or linked peers are in.", result: "rooms",
        hasLargeAnswer: true, access: .group)

    package typealias Params = PageParams

    /// Those first that this node is in, then by name.
    package typealias Result = Page<Room>

    package struct Room: ControlValue {
        package var id = ""
        /// How the room is written here: `ops`, or `office/ops` of another realm than the default one.
        package var name = ""
        /// The name of its realm here.
        package var realm = ""
        /// The room's name in its realm.
        package var room = ""
        /// Whether this node is a member.
        package var joined = false
        /// False where this node is not in the realm, so that only the room's history is here.
        package var reachable = true
        /// How many members are known here.
        package var members: Int64 = 0
        /// The linked peers that say they are in it.
        package var announcedBy: [String] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("name", &self.name)
            visitor.field("realm", &self.realm)
            visitor.field("room", &self.room)
            visitor.field("joined", &self.joined)
            visitor.field("reachable", &self.reachable)
            visitor.field("members", &self.members)
            visitor.field("announcedBy", &self.announcedBy, .id)
        }
    }
}
