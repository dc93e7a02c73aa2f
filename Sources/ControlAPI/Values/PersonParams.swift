/// The parameters of methods that are about one person.
package struct PersonParams: ControlValue {
    /// `@` and a name, the beginning of one or, 8 characters or more, of a key.
    package var person = ""

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field(
            "person", &self.person, .word,
            "@ and a name, its beginning, or at least 8 characters of the id.")
    }
}

/// Who waits to be accepted: somebody who wrote, or a group.
package struct RequesterParams: ControlValue {
    package var person = ""

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field(
            "person", &self.person, .word,
            "Somebody who waits: @ and a name or key, or a group: +NAME, +REALM/NAME, or its id.")
    }
}
