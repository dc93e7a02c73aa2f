/// What a field of the control API can hold.
package protocol FieldValue: Equatable, Sendable {
    /// The JSON Schema of the type.
    static var schema: JSON { get }
    /// What is due, for errors: "a string".
    static var noun: String { get }
    /// Whether an object without this field is refused.
    static var isRequired: Bool { get }
    /// Whether the field is not written.
    var isLeftOut: Bool { get }
    /// Reads a value; nil when the JSON is of another type.
    init?(field json: JSON)
    /// Reads as much of a value as this version knows, see ``LenientReader``; nil where there is nothing to
    /// read.
    init?(lenient json: JSON)
    /// Appends the compact JSON text.
    func write(into output: inout [UInt8])
    /// About how many bytes the text takes; a guess that is too small costs only time.
    var expectedBytes: Int { get }
}

extension FieldValue {
    /// All but optional ones are required.
    package static var isRequired: Bool { true }
    /// All but optional ones are written.
    package var isLeftOut: Bool { false }
    /// Enough for most.
    package var expectedBytes: Int { 240 }
    /// What has no parts is read as a whole.
    package init?(lenient json: JSON) { self.init(field: json) }
}

extension String: FieldValue {
    /// Any string.
    package static var schema: JSON { ["type": "string"] }
    package static var noun: String { "a string" }
    package init?(field json: JSON) {
        guard case .string(let text) = json else { return nil }
        self = text
    }
    /// Appends the string with its quotes and escapes.
    package func write(into output: inout [UInt8]) { JSON.write(self, into: &output) }
}

extension Int64: FieldValue {
    /// Any integer.
    package static var schema: JSON { ["type": "integer"] }
    package static var noun: String { "a whole number" }
    /// Reads an integer.
    package init?(field json: JSON) {
        guard case .integer(let value) = json else { return nil }
        self = value
    }
    /// Appends the digits.
    package func write(into output: inout [UInt8]) {
        output.append(contentsOf: String(self).utf8)
    }
}

extension Double: FieldValue {
    /// Any number.
    package static var schema: JSON { ["type": "number"] }
    package static var noun: String { "a number" }
    /// Reads a number, with a fraction or without.
    package init?(field json: JSON) {
        switch json {
        case .number(let value): self = value
        case .integer(let value): self = Double(value)
        default: return nil
        }
    }
    /// Appends the number, which must be finite.
    package func write(into output: inout [UInt8]) { JSON.number(self).write(into: &output) }
}

extension Bool: FieldValue {
    /// Either of the two.
    package static var schema: JSON { ["type": "boolean"] }
    package static var noun: String { "true or false" }
    /// Reads a truth value.
    package init?(field json: JSON) {
        guard case .bool(let value) = json else { return nil }
        self = value
    }
    /// Appends the literal.
    package func write(into output: inout [UInt8]) {
        output.append(contentsOf: (self ? "true" : "false").utf8)
    }
}

extension Timestamp: FieldValue {
    /// RFC 3339.
    package static var schema: JSON { ["type": "string", "format": "date-time"] }
    package static var noun: String { "an RFC 3339 time such as \"2026-01-31T18:00:00.000Z\"" }
    /// Reads a time with any offset.
    package init?(field json: JSON) {
        guard case .string(let text) = json else { return nil }
        self.init(text)
    }
    /// Appends the time in UTC.
    package func write(into output: inout [UInt8]) { JSON.write(self.text, into: &output) }
}

/// One of a few words: an enumeration of strings.
package protocol WordValue: FieldValue, CaseIterable, RawRepresentable where RawValue == String {}

extension WordValue {
    package static var schema: JSON {
        ["type": "string", "enum": .array(self.allCases.map { .string($0.rawValue) })]
    }
    package static var noun: String {
        self.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
    }
    package init?(field json: JSON) {
        guard case .string(let word) = json else { return nil }
        self.init(rawValue: word)
    }
    /// Appends the word with its quotes.
    package func write(into output: inout [UInt8]) { JSON.write(self.rawValue, into: &output) }
}

extension Optional: FieldValue where Wrapped: FieldValue {
    package static var schema: JSON { Wrapped.schema }
    package static var noun: String { Wrapped.noun }
    /// The field may be missing.
    package static var isRequired: Bool { false }
    package var isLeftOut: Bool { self == nil }
    /// Reads null and values.
    package init?(field json: JSON) {
        if case .null = json {
            self = .none
        } else {
            guard let value = Wrapped(field: json) else { return nil }
            self = .some(value)
        }
    }
    /// Reads null and values; what cannot be read is left out.
    package init?(lenient json: JSON) { self = Wrapped(lenient: json) }
    /// Appends the value or null.
    package func write(into output: inout [UInt8]) {
        if let value = self {
            value.write(into: &output)
        } else {
            output.append(contentsOf: "null".utf8)
        }
    }
}

extension Array: FieldValue where Element: FieldValue {
    /// A list of any length.
    package static var schema: JSON { ["type": "array", "items": Element.schema] }
    package static var noun: String { "an array" }
    /// That of the elements.
    package var expectedBytes: Int { self.reduce(2) { $0 + $1.expectedBytes + 1 } }
    /// Reads a list; nil when one of the elements cannot be read.
    package init?(field json: JSON) {
        guard case .array(let elements) = json else { return nil }
        self = []
        self.reserveCapacity(elements.count)
        for element in elements {
            guard let value = Element(field: element) else { return nil }
            self.append(value)
        }
    }
    /// Reads a list without the elements that cannot be read.
    package init?(lenient json: JSON) {
        guard case .array(let elements) = json else { return nil }
        self = elements.compactMap { Element(lenient: $0) }
    }
    /// Appends the elements in their order.
    package func write(into output: inout [UInt8]) {
        output.append(UInt8(ascii: "["))
        var isFirst = true
        for element in self {
            if !isFirst { output.append(UInt8(ascii: ",")) }
            isFirst = false
            element.write(into: &output)
        }
        output.append(UInt8(ascii: "]"))
    }
}

extension JSON: FieldValue {
    /// Anything; the only such field is the OpenRPC document.
    package static var schema: JSON {
        ["type": "object", "description": "An OpenRPC 1.2 document."]
    }
    package static var noun: String { "a value" }
    /// Keeps the value as it is.
    package init?(field json: JSON) { self = json }
}
