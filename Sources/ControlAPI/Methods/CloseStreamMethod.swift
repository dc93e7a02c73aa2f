/// The method `closeStream`.
public enum CloseStreamMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "closeStream", "End an open stream; who receives it is told.", result: "nothing",
        errors: [.notFound], access: .group)

    /// Which one.
    public struct Params: ControlValue {
        /// The number of the stream.
        public var stream: Int64 = 0

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("stream", &self.stream, .any, "The number that openStream returned.")
        }
    }

    /// Nothing.
    public typealias Result = EmptyValue
}
