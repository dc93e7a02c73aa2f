/// The method `openStream`.
public enum OpenStreamMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "openStream",
        "Send or receive an ephemeral stream: packets of at most \(ControlLimits.streamPacketBytes) bytes that nobody keeps.",
        result: "stream",
        errors: [.notFound, .ambiguous, .notMember, .refused, .busy], access: .group)

    /// Which stream.
    public struct Params: ControlValue {
        /// A room, a person or a conversation id.
        public var to = ""
        /// The stream's name.
        public var name = ""
        /// Whether to receive what others send, instead of sending.
        public var receive: Bool?
        /// Of what is sent, whether a packet that comes behind a later one is dropped.
        public var ordered: Bool?

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("to", &self.to, .word, ConversationParams.toSummary)
            visitor.field(
                "name", &self.name, .word,
                "The stream's name: letters, digits and - _ . within, at most 64 bytes.")
            visitor.field(
                "receive", &self.receive, .any,
                "Whether to receive what others send, by the notifications stream and streamError.")
            visitor.field(
                "ordered", &self.ordered, .any,
                "When sending, whether a packet that comes behind a later one is dropped.")
        }
    }

    /// The stream.
    public struct Result: ControlValue {
        /// Its number on this connection.
        public var stream: Int64 = 0

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("stream", &self.stream)
        }
    }
}
