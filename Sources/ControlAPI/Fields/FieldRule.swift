/// What a field's value must be beyond its type.
package enum FieldRule: Equatable, Sendable {
    /// Any value of the type.
    case any
    /// A string that is not empty, holds at most so many bytes of UTF-8 and no U+0000.
    case bytes(Int)
    /// A whole number in this range.
    case range(ClosedRange<Int64>)
    /// A 32-byte id as 52 characters of lower-case base32, or an array of such.
    case id
    /// Always written: null stands for nil.
    case orNull

    /// A name of people, rooms, hosts or keys.
    static let word = FieldRule.bytes(ControlLimits.wordBytes)

    /// Whether a value that has the right type already keeps the rule.
    func accepts(_ json: JSON) -> Bool {
        switch (self, json) {
        case (.bytes(let limit), .string(let text)):
            (1...limit).contains(text.utf8.count) && !text.utf8.contains(0)
        case (.range(let range), .integer(let value)): range.contains(value)
        case (.id, .string(let text)): Self.isID(text)
        case (.id, .array(let elements)): elements.allSatisfy(self.accepts)
        default: true
        }
    }

    /// What is due, for the error; nil where the type says it all.
    var due: String? {
        switch self {
        case .any, .orNull: nil
        case .bytes(let limit): "a string of 1 to \(limit) bytes without U+0000"
        case .range(let range) where range.upperBound == .max:
            "a whole number, at least \(range.lowerBound)"
        case .range(let range):
            "a whole number from \(range.lowerBound) to \(range.upperBound)"
        case .id: "an id of 52 characters, a-z and 2-7"
        }
    }

    /// The schema of the type, narrowed to the rule.
    func schema(of type: JSON) -> JSON {
        switch self {
        case .any: type
        case .bytes(let limit):
            ["type": "string", "minLength": 1, "maxLength": .integer(Int64(limit))]
        case .range(let range):
            .members([
                "type": "integer", "minimum": .integer(range.lowerBound),
                "maximum": range.upperBound == .max ? nil : .integer(range.upperBound),
            ])
        case .id where type["type"] == "array": ["type": "array", "items": Self.idSchema]
        case .id: Self.idSchema
        case .orNull: ["oneOf": [type, ["type": "null"]]]
        }
    }

    private static let idSchema: JSON = ["type": "string", "pattern": "^[a-z2-7]{52}$"]

    /// Whether a text is 32 bytes in base32: 52 digits, of which the last holds one bit.
    private static func isID(_ text: String) -> Bool {
        let bytes = text.utf8
        return bytes.count == 52
            && (bytes.last == UInt8(ascii: "a") || bytes.last == UInt8(ascii: "q"))
            && bytes.allSatisfy { (0x61...0x7A).contains($0) || (0x32...0x37).contains($0) }
    }
}

/// A field as it is described to people and machines.
package struct FieldDescription: Equatable, Sendable {
    /// The member's name.
    package let name: String
    /// One sentence for people; empty where the name says it all.
    package let summary: String
    /// Whether a value without it is refused.
    package let isRequired: Bool
    package let schema: JSON

    /// The schema with the sentence in it.
    var describedSchema: JSON {
        guard !self.summary.isEmpty, case .object(let members) = self.schema else {
            return self.schema
        }
        return .object(members + [JSON.Member("description", .string(self.summary))])
    }
}

/// Describes the fields of a value.
struct FieldDescriber: FieldVisitor {
    private(set) var list: [FieldDescription] = []

    mutating func field<Value: FieldValue>(
        _ name: StaticString, _ value: inout Value, _ rule: FieldRule, _ summary: StaticString
    ) {
        self.list.append(
            FieldDescription(
                name: name.description, summary: summary.description,
                isRequired: Value.isRequired || rule == .orNull,
                schema: rule.schema(of: Value.schema)))
    }
}
