/// Writes the fields of a value as the compact text of an object.
///
/// There is no tree in between, so the answer to `send` and the notifications of messages need no
/// fast path of their own.
struct FieldWriter: FieldVisitor {
    private var output: [UInt8]
    private var isFirst = true

    /// Writes behind these bytes.
    init(_ output: [UInt8]) { self.output = output }

    mutating func field<Value: FieldValue>(
        _ name: StaticString, _ value: inout Value, _ rule: FieldRule, _ summary: StaticString
    ) {
        if value.isLeftOut, rule != .orNull { return }
        self.output.append(self.isFirst ? UInt8(ascii: "{") : UInt8(ascii: ","))
        self.isFirst = false
        self.output.append(UInt8(ascii: "\""))
        name.withUTF8Buffer { self.output.append(contentsOf: $0) }
        self.output.append(UInt8(ascii: "\""))
        self.output.append(UInt8(ascii: ":"))
        value.write(into: &self.output)
    }

    /// All bytes, with the object closed.
    consuming func finish() -> [UInt8] {
        if self.isFirst { self.output.append(UInt8(ascii: "{")) }
        self.output.append(UInt8(ascii: "}"))
        return self.output
    }
}
