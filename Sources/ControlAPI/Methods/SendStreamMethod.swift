/// The method `sendStream`.
package enum SendStreamMethod: ControlMethod {
    package static let description = MethodDescription(
        "sendStream",
        "Send a packet of an open stream; in one conversation \(ControlLimits.streamPacketsPerSecond) packets and \(ControlLimits.streamBytesPerSecond) bytes a second.",
        result: "sent", errors: [.notFound, .tooLarge, .busy], access: .group)

    /// What is sent.
    package struct Params: ControlValue {
        package var stream: Int64 = 0
        /// The packet's bytes.
        package var data = Base64()

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("stream", &self.stream, .any, "The number that openStream returned.")
            visitor.field("data", &self.data, .any, "1 to 1024 bytes, in base64.")
        }
    }

    /// What became of it.
    package struct Result: ControlValue {
        /// Which packet of the stream it is, from 1.
        package var number: Int64 = 0
        /// How many peers it was sent to: those that are linked.
        package var told: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("number", &self.number)
            visitor.field("told", &self.told)
        }
    }
}
