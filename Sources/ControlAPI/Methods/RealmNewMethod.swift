/// The method `realmNew`.
package enum RealmNewMethod: ControlMethod {
    package static let description = MethodDescription(
        "realmNew", "Make a realm: rooms that only those can see whom you invite to it.",
        result: "realm", errors: [.refused, .busy, .storageFailed], isChange: true)

    /// What it is to be called.
    package struct Params: ControlValue {
        package var name = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .word, "Its name: letters a to z, digits and -.")
        }
    }

    package typealias Result = RealmsMethod.Realm
}
