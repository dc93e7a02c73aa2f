/// The method `realms`.
public enum RealmsMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "realms", "List the realms that you are in, and those that you have left.",
        result: "realms", hasLargeAnswer: true)

    /// Which part.
    public typealias Params = PageParams

    /// Those first that this node is in, then those that it has left, by name.
    public typealias Result = Page<Realm>

    /// One realm.
    public struct Realm: ControlValue {
        /// The realm's id, the same for all who are in it; zeros for the open one.
        public var id = ""
        /// What it is called here.
        public var name = ""
        /// Whether this node is in it.
        public var joined = false
        /// Whether a room whose name stands alone belongs to it.
        public var isDefault = false
        /// The file that an administrator installed; nil for the user's own realms.
        public var installed: String?
        /// Until when the secret before the present one counts; nil where there is none.
        public var oldSecretUntil: Timestamp?
        /// How many of its rooms you are in.
        public var rooms: Int64 = 0

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("name", &self.name)
            visitor.field("joined", &self.joined)
            visitor.field("default", &self.isDefault)
            visitor.field("installed", &self.installed)
            visitor.field("oldSecretUntil", &self.oldSecretUntil)
            visitor.field("rooms", &self.rooms)
        }
    }
}
