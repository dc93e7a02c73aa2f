/// The method `rooms`.
package enum RoomsMethod: ControlMethod {
    package static let description = MethodDescription(
        "rooms", "List the open rooms that you or linked peers are in.", result: "rooms",
        hasLargeAnswer: true, access: .group,
        details:
            "Your own rooms come first. At most 64 rooms are listed that a stranger "
            + "announces and you are not in.")

    package typealias Params = PageParams

    /// Those first that this node is in, then by name.
    package typealias Result = Page<Room>

    package struct Room: ControlValue {
        package var id = ""
        package var name = ""
        package var realm = ""
        package var room = ""
        package var joined = false
        package var reachable = true
        package var members: Int64 = 0
        package var announcedBy: [String] = []
        package var looksLike: [String]?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The room's id.")
            visitor.field(
                "name", &self.name, .any,
                "The room's name: ops, or office/ops outside the default realm.")
            visitor.field("realm", &self.realm, .any, "The name of its realm here.")
            visitor.field("room", &self.room, .any, "The room's name in its realm.")
            visitor.field("joined", &self.joined, .any, "Whether this node is a member.")
            visitor.field(
                "reachable", &self.reachable, .any,
                "False if this node is not in the realm, so only the room's history is here.")
            visitor.field("members", &self.members, .any, "How many members are known.")
            visitor.field(
                "announcedBy", &self.announcedBy, .id, "Linked peers that say they are in it.")
            visitor.field(
                "looksLike", &self.looksLike, .any,
                "Other rooms whose names look the same; left out if there are none.")
        }
    }
}
