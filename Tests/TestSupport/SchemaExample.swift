package import ControlAPI

/// Values that a schema of the OpenRPC document allows.
package enum SchemaExample {
    /// A value with every field that the schema has.
    package static func value(of schema: JSON) -> JSON {
        if let name = schema["$ref"]?.stringValue?.split(separator: "/").last {
            return Self.value(
                of: OpenRPC.document["components"]?["schemas"]?[String(name)] ?? .null)
        }
        if let first = schema["oneOf"]?.arrayValue?.first { return Self.value(of: first) }
        if let words = schema["enum"]?.arrayValue { return words[0] }
        if schema["pattern"] != nil { return .string(String(repeating: "a", count: 52)) }
        if schema["format"] != nil { return "1970-01-01T00:00:01.000Z" }
        if schema["contentEncoding"] != nil { return "aGVsbG8=" }
        switch schema["type"]?.stringValue {
        case "string": return "a \"b\" \\ \n\u{1B}\u{202E} é"
        case "integer": return 5
        case "number": return 0.5
        case "boolean": return true
        case "array": return [Self.value(of: schema["items"] ?? .null)]
        default:
            return .object(
                (schema["properties"]?.objectValue ?? []).map {
                    .init($0.name, Self.value(of: $0.value))
                })
        }
    }
}
