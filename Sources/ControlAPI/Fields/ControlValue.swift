/// A JSON object of the control API: the parameters or the result of a method, or a part of one.
///
/// Its list of fields is stated once, in ``fields(_:)``; writer, parser and OpenRPC schema are all
/// visitors of that list.
package protocol ControlValue: FieldValue {
    /// A value whose fields are empty, to be filled by a parser or with ``init(_:)``.
    init()

    /// The name under which other schemas refer to this one; nil to be described in place.
    static var schemaName: String? { get }

    /// Visits each field with its name, in the order in which they are written.
    mutating func fields(_ visitor: inout some FieldVisitor)
}

/// What goes through the fields of a ``ControlValue``: to write, to read or to describe them.
package protocol FieldVisitor {
    /// Whether fields that are left out may be passed over: it only writes.
    static var leavesOut: Bool { get }

    /// Takes one field: an optional one may be left out, any other is required.
    ///
    /// - Parameters:
    ///   - name: the member's name.
    ///   - value: the property, to be read or set.
    ///   - rule: what the value must be beyond its type.
    ///   - summary: one sentence for people; may be empty for results.
    mutating func field<Value: FieldValue>(
        _ name: StaticString, _ value: inout Value, _ rule: FieldRule, _ summary: StaticString)
}

extension FieldVisitor {
    /// Most look at every field.
    package static var leavesOut: Bool { false }

    /// Takes a field of any value of its type that needs no explanation.
    @inline(__always)
    mutating func field<Value: FieldValue>(_ name: StaticString, _ value: inout Value) {
        self.field(name, &value, .any, "")
    }

    /// Takes a field that needs no explanation.
    @inline(__always)
    mutating func field<Value: FieldValue>(
        _ name: StaticString, _ value: inout Value, _ rule: FieldRule
    ) {
        self.field(name, &value, rule, "")
    }
}

/// Fields that several values have.
extension FieldVisitor {
    /// The subscription that an event is for.
    mutating func subscription(_ number: inout Int64) {
        self.field("subscription", &number, .any, "The number that subscribe returned.")
    }

    /// Whether a name has to be shown with the key.
    mutating func ambiguous(_ isAmbiguous: inout Bool?) {
        self.field(
            "ambiguous", &isAmbiguous, .any,
            "True if the name could be mistaken for another person's.")
    }
}

extension ControlValue {
    /// Makes a value and sets its fields.
    @inlinable
    package init(_ fill: (inout Self) -> Void) {
        self.init()
        fill(&self)
    }

    /// Nil: described where it stands.
    package static var schemaName: String? { nil }

    /// Every field as it is described to people and machines.
    package static var descriptions: [FieldDescription] {
        var visitor = FieldDescriber()
        var value = Self()
        value.fields(&visitor)
        return visitor.list
    }

    /// A reference to the schema where it has a name, else the schema itself.
    package static var schema: JSON {
        self.schemaName.map { ["$ref": .string("#/components/schemas/\($0)")] }
            ?? self.objectSchema
    }

    /// The schema with its fields, whether it has a name or not.
    static var objectSchema: JSON {
        let fields = self.descriptions
        return [
            "type": "object",
            "properties": .object(fields.map { .init($0.name, $0.describedSchema) }),
            "required": .array(fields.filter(\.isRequired).map { .string($0.name) }),
        ]
    }

    package static var noun: String { "an object" }

    /// Reads an object as a client does: names that it does not know are ignored.
    package init?(field json: JSON) {
        guard case .object(let members) = json else { return nil }
        self.init()
        var reader = FieldReader(members: members)
        self.fields(&reader)
        guard reader.fault == nil else { return nil }
    }

    /// Appends the compact text, without a tree in between.
    package func write(into output: inout [UInt8]) {
        var writer = FieldWriter()
        // Swapped, so that the writer alone holds the bytes and their reserve.
        swap(&writer.output, &output)
        var copy = self
        copy.fields(&writer)
        writer.close()
        swap(&writer.output, &output)
    }

    /// The value as a tree, for errors and tests.
    package var json: JSON {
        var output: [UInt8] = []
        self.write(into: &output)
        return (try? JSON(parsing: output, byteLimit: output.count)) ?? .null
    }

    /// The fields as named parameters.
    package var params: RPCParams { .named(self.json.objectValue ?? []) }
}

/// No fields: the parameters of many methods, and the result of those that only do something.
package struct EmptyValue: ControlValue {
    package init() {}

    /// Visits nothing.
    package mutating func fields(_ visitor: inout some FieldVisitor) {}
}
