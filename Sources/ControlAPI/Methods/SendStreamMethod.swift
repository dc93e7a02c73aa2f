/// The method `sendStream`.
public enum SendStreamMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "sendStream",
        "Send a packet of an open stream; in one conversation \(ControlLimits.streamPacketsPerSecond) packets and \(ControlLimits.streamBytesPerSecond) bytes a second.",
        result: "sent", errors: [.notFound, .tooLarge, .busy], access: .group)

    /// What is sent.
    public struct Params: ControlValue {
        /// The number of the stream.
        public var stream: Int64 = 0
        /// The packet's bytes.
        public var data = Base64()

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("stream", &self.stream, .any, "The number that openStream returned.")
            visitor.field("data", &self.data, .any, "1 to 1024 bytes, in base64.")
        }
    }

    /// What became of it.
    public struct Result: ControlValue {
        /// Which packet of the stream it is, from 1.
        public var number: Int64 = 0
        /// How many peers it was sent to: those that are linked.
        public var told: Int64 = 0

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("number", &self.number)
            visitor.field("told", &self.told)
        }
    }
}
