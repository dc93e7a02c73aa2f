/// The parameters of methods that are about one person.
public struct PersonParams: ControlValue {
    /// `@` and a name, the beginning of one or, 8 characters or more, of a key.
    public var person = ""

    /// Empty parameters.
    public init() {}

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field(
            "person", &self.person, .word,
            "@ and a name, the beginning of one, or 8 or more characters of the id.")
    }
}
