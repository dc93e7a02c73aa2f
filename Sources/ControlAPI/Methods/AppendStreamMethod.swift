/// The method `appendStream`.
package enum AppendStreamMethod: ControlMethod {
    package static let description = MethodDescription(
        "appendStream",
        "Append bytes to a durable stream, which is stored and synced like messages.",
        result: "sent",
        errors: [
            .notFound, .ambiguous, .storageFailed, .notMember, .refused, .tooLarge, .keyReused,
            .busy,
        ], access: .group, isChange: true,
        details:
            "Answers as send does, once the bytes are stored. They do not appear in history "
            + "or search and are never unread. To receive them, subscribe with the kind "
            + "stream. Parts of several senders come interleaved: a reader takes those of one "
            + "peer and session from offset 0 on.")

    /// What is appended, and to which stream.
    package struct Params: ControlValue {
        /// A room, a person or a conversation id.
        package var to = ""
        package var name = ""
        package var data = Base64()
        /// The sender's own number of this sending; random and the same for all its parts.
        package var session: Int64 = 0
        /// How many bytes of this sending stand before this part.
        package var offset: Int64 = 0
        /// Whether the sending ends with this part.
        package var end: Bool?
        /// The client's own name for this part: appending again with it has no effect.
        package var idempotencyKey: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("to", &self.to, .word, ConversationParams.toSummary)
            visitor.field(
                "name", &self.name, .word,
                "The stream's name: letters, digits and - _ . inside it, at most 64 characters.")
            visitor.field(
                "data", &self.data, .any,
                "1 to 49152 bytes, in base64; may be empty with end.")
            visitor.field(
                "session", &self.session, .range(0...Int64.max),
                "A random number, the same for all parts of one sending.")
            visitor.field(
                "offset", &self.offset, .range(0...Int64.max),
                "How many bytes of this sending come before this part, so that readers can tell if some are missing."
            )
            visitor.field("end", &self.end, .any, "Whether this is the last part.")
            visitor.field(
                "idempotencyKey", &self.idempotencyKey, .word,
                "Your own name for this part: appending again with it has no effect.")
        }
    }

    /// What was stored.
    package typealias Result = SendMethod.Result
}
