/// The method `rooms`.
public enum RoomsMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "rooms", "List the open rooms that you or linked peers are in.", result: "rooms",
        hasLargeAnswer: true, access: .group)

    /// Which part.
    public typealias Params = PageParams

    /// Those first that this node is in, then by name.
    public typealias Result = Page<Room>

    /// One room.
    public struct Room: ControlValue {
        /// The conversation's id.
        public var id = ""
        /// How the room is written here: `ops`, or `office/ops` of another realm than the default one.
        public var name = ""
        /// The name of its realm here.
        public var realm = ""
        /// The room's name in its realm.
        public var room = ""
        /// Whether this node is a member.
        public var joined = false
        /// False where this node is not in the realm, so that only the room's history is here.
        public var reachable = true
        /// How many members are known here.
        public var members: Int64 = 0
        /// The linked peers that say they are in it.
        public var announcedBy: [String] = []

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
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
