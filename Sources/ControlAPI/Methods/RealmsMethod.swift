/// The method `realms`.
package enum RealmsMethod: ControlMethod {
    package static let description = MethodDescription(
        "realms", "List the realms that you are in, and those that you have left.",
        result: "realms", hasLargeAnswer: true)

    package typealias Params = PageParams

    /// Those first that this node is in, then those that it has left, by name.
    package typealias Result = Page<Realm>

    package struct Realm: ControlValue {
        /// The realm's id, the same for all who are in it; zeros for the open one.
        package var id = ""
        /// What it is called here.
        package var name = ""
        /// Whether this node is in it.
        package var joined = false
        /// Whether a room whose name stands alone belongs to it.
        package var isDefault = false
        /// The file that an administrator installed; nil for the user's own realms.
        package var installed: String?
        /// Until when the secret before the present one counts; nil where there is none.
        package var oldSecretUntil: Timestamp?
        /// How many of its rooms you are in.
        package var rooms: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
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
