/// The method `realmNew`.
package enum RealmNewMethod: ControlMethod {
    package static let description = MethodDescription(
        "realmNew", "Create a realm: rooms that only people you invite to it can see.",
        result: "realm", errors: [.refused, .busy, .storageFailed], isChange: true,
        details:
            "Its id and secret are random.",
        reasons: [
            "badRealmName": "that cannot be the name of a realm",
            "realmName": "another realm here has that name",
            "tooManyRealms": "a node is in at most 8 realms with a secret",
        ])

    /// What it is to be called.
    package struct Params: ControlValue {
        package var name = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "name", &self.name, .word,
                "Its name: letters, digits and - inside it, at most 32 characters.")
        }
    }

    package typealias Result = RealmsMethod.Realm
}
