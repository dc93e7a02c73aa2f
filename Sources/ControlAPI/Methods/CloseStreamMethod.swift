/// The method `closeStream`.
package enum CloseStreamMethod: ControlMethod {
    package static let description = MethodDescription(
        "closeStream", "End an open stream and tell its receivers.", result: "nothing",
        errors: [.notFound], access: .group,
        details:
            "The end of the connection closes its streams.",
        reasons: [
            "unknownStream": "the connection has no such stream"
        ])

    package struct Params: ControlValue {
        package var stream: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("stream", &self.stream, .any, "The number that openStream returned.")
        }
    }

    package typealias Result = EmptyValue
}
