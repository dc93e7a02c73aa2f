/// The method `realms`.
package enum RealmsMethod: ControlMethod {
    package static let description = MethodDescription(
        "realms", "List the realms you are in, and those you have left.",
        result: "realms", hasLargeAnswer: true,
        details:
            "The realms this node is in, the open one with an id of zeros, then those it "
            + "has left.")

    package typealias Params = PageParams

    /// Those first that this node is in, then those that it has left, by name.
    package typealias Result = Page<Realm>

    package struct Realm: ControlValue {
        package var id = ""
        package var name = ""
        package var joined = false
        package var isDefault = false
        package var installed: String?
        package var oldSecretUntil: Timestamp?
        package var rooms: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "id", &self.id, .id,
                "The realm's id, the same for all members; zeros for the open realm.")
            visitor.field("name", &self.name, .any, "The realm's name here.")
            visitor.field("joined", &self.joined, .any, "Whether this node is in it.")
            visitor.field(
                "default", &self.isDefault, .any,
                "Whether rooms written without a realm belong to it.")
            visitor.field(
                "installed", &self.installed, .any,
                "The file by which an administrator added the user; left out for the user's own realms."
            )
            visitor.field(
                "oldSecretUntil", &self.oldSecretUntil, .any,
                "When the older secret stops working; left out if there is none.")
            visitor.field("rooms", &self.rooms, .any, "How many of its rooms you are in.")
        }
    }
}
