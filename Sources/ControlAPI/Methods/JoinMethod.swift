/// The method `join`.
public enum JoinMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "join", "Join a room; a room exists as soon as someone is in it.",
        result: "conversation", errors: [.refused, .tooLarge, .storageFailed])

    /// Which room.
    public struct Params: ControlValue {
        /// The room's name, a bare word, maybe behind the name of its realm and `/`.
        public var room = ""

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("room", &self.room, .word, "The room: NAME, or REALM/NAME.")
        }
    }

    /// The room; the same when it was joined before.
    public typealias Result = ConversationResult
}
