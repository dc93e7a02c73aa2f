/// Writes the fields of a value as the compact text of an object.
///
/// There is no tree in between, so the answer to `send` and the notifications of messages need no
/// fast path of their own.
struct FieldWriter: FieldVisitor {
    /// What is written so far, behind what stood there before.
    var output: [UInt8] = []
    private var isFirst = true

    static var leavesOut: Bool { true }

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

    /// Closes the object.
    mutating func close() {
        if self.isFirst { self.output.append(UInt8(ascii: "{")) }
        self.output.append(UInt8(ascii: "}"))
    }
}
