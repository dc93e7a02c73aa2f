/// The method `realmLeave`.
package enum RealmLeaveMethod: ControlMethod {
    package static let description = MethodDescription(
        "realmLeave", "Leave a realm; what was said in its rooms stays on this disk.",
        result: "left", errors: [.notFound, .refused, .busy, .storageFailed], isChange: true)

    package typealias Params = RealmInviteMethod.Params

    /// The realm that was left.
    package struct Result: ControlValue {
        /// What it was called here, and its rooms still are.
        package var name = ""
        /// The rooms that can be read on, and not reached.
        package var rooms: [String] = []

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name)
            visitor.field("rooms", &self.rooms)
        }
    }
}
