/// The method `realmLeave`.
public enum RealmLeaveMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "realmLeave", "Leave a realm; what was said in its rooms stays on this disk.",
        result: "left", errors: [.notFound, .refused, .busy, .storageFailed], isChange: true)

    /// Which realm.
    public typealias Params = RealmInviteMethod.Params

    /// The realm that was left.
    public struct Result: ControlValue {
        /// What it was called here, and its rooms still are.
        public var name = ""
        /// The rooms that can be read on, and not reached.
        public var rooms: [String] = []

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("name", &self.name)
            visitor.field("rooms", &self.rooms)
        }
    }
}
