/// The method `sendStream`.
package enum SendStreamMethod: ControlMethod {
    package static let description = MethodDescription(
        "sendStream",
        "Send a packet on an open stream; one conversation takes \(ControlLimits.streamPacketsPerSecond) packets and \(ControlLimits.streamBytesPerSecond) bytes a second.",
        result: "sent", errors: [.notFound, .tooLarge, .busy, .refused], access: .group,
        details:
            "The rate is shared by all streams of a conversation; opening and closing a "
            + "stream takes one packet too.",
        reasons: [
            "tooFast": "the rate is used up; data has retryMilliseconds",
            "unknownStream": "the connection has no such stream",
            "notLinked": "the link to the stream's only receiver ended; the stream stays open",
            "notInRoom": "the stream's only receiver left the conversation",
        ])

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
        package var number: Int64 = 0
        package var told: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("number", &self.number, .any, "The number of the packet, from 1.")
            visitor.field("told", &self.told, .any, "How many linked peers it was sent to.")
        }
    }
}
