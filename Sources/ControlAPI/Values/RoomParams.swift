/// A room that the user is in, or was.
package struct RoomParams: ControlValue {
    package var room = ""

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field(
            "room", &self.room, .word,
            "The room: NAME, REALM/NAME, &NAME for a secret room, +NAME for a group, or an id.")
    }
}
