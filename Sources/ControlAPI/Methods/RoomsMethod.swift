/// The method `rooms`.
public enum RoomsMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "rooms", "List the open rooms that you or linked peers are in.", result: "rooms",
        hasLargeAnswer: true)

    /// All rooms known here.
    public typealias Result = [Room]

    /// One room.
    public struct Room: ControlValue {
        /// The conversation's id.
        public var id = ""
        /// The room's name.
        public var name = ""
        /// Whether this node is a member.
        public var joined = false
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
            visitor.field("joined", &self.joined)
            visitor.field("members", &self.members)
            visitor.field("announcedBy", &self.announcedBy, .id)
        }
    }
}
