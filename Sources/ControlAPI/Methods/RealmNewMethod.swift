/// The method `realmNew`.
public enum RealmNewMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "realmNew", "Make a realm: rooms that only those can see whom you invite to it.",
        result: "realm", errors: [.refused, .busy, .storageFailed], isChange: true)

    /// What it is to be called.
    public struct Params: ControlValue {
        /// The name here.
        public var name = ""

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name, .word, "Its name: letters a to z, digits and -.")
        }
    }

    /// The new realm.
    public typealias Result = RealmsMethod.Realm
}
