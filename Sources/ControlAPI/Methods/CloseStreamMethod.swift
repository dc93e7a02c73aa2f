/// The method `closeStream`.
package enum CloseStreamMethod: ControlMethod {
    package static let description = MethodDescription(
        "closeStream", "End an open stream; who receives it is told.", result: "nothing",
        errors: [.notFound], access: .group)

    package struct Params: ControlValue {
        package var stream: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("stream", &self.stream, .any, "The number that openStream returned.")
        }
    }

    package typealias Result = EmptyValue
}
