/// The method `openStream`.
package enum OpenStreamMethod: ControlMethod {
    package static let description = MethodDescription(
        "openStream",
        "Send or receive an ephemeral stream: packets of at most \(ControlLimits.streamPacketBytes) bytes that are not stored.",
        result: "stream",
        errors: [.notFound, .ambiguous, .notMember, .refused, .busy], access: .group,
        details:
            "A connection may have 64 streams open, and all connections together 256 for "
            + "sending. Of one sender, the 8 newest streams of a name are told apart.",
        reasons: [
            "tooManyStreams": "too many streams are open",
            "tooFast": "the conversation has used up its rate; data has retryMilliseconds",
        ],
        example: ["to": "ops", "name": "temperature"])

    package struct Params: ControlValue {
        /// A room, a person or a conversation id.
        package var to = ""
        package var name = ""
        /// Whether to receive what others send, instead of sending.
        package var receive: Bool?
        /// Of what is sent, whether a packet that comes behind a later one is dropped.
        package var ordered: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("to", &self.to, .word, ConversationParams.toSummary)
            visitor.field(
                "name", &self.name, .word,
                "The stream's name: letters, digits and - _ . inside it, at most 64 characters.")
            visitor.field(
                "receive", &self.receive, .any,
                "Whether to receive what others send, by the notifications stream and streamError.")
            visitor.field(
                "ordered", &self.ordered, .any,
                "When sending: whether to drop a packet that arrives after a later one.")
        }
    }

    package struct Result: ControlValue {
        package var stream: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "stream", &self.stream, .any, "The number of the stream on this connection.")
        }
    }
}
