/// A room that the user is in, or was.
public struct RoomParams: ControlValue {
    /// The room.
    public var room = ""

    /// Empty parameters.
    public init() {}

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field(
            "room", &self.room, .word,
            "The room: NAME, REALM/NAME, &NAME for a secret one, or an id.")
    }
}
