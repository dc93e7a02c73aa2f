/// The method `openStream`.
package enum OpenStreamMethod: ControlMethod {
    package static let description = MethodDescription(
        "openStream",
        "Send or receive an ephemeral stream: packets of at most \(ControlLimits.streamPacketBytes) bytes that are not stored.",
        result: "stream",
        errors: [.notFound, .ambiguous, .notMember, .refused, .busy], access: .group,
        details:
            "A connection may have 64 streams open, and all connections together 256 for "
            + "sending. Of one sender, the 8 newest streams of a name are told apart. Packets "
            + "for one member go over a direct link to each of their devices, and to nobody else.",
        reasons: [
            "notInRoom": "the member is not in the conversation",
            "notLinked": "there is no direct link to the member",
            "tooManyStreams": "too many streams are open",
            "tooFast": "the conversation has used up its rate; data has retryMilliseconds",
        ],
        example: ["to": "ops", "name": "temperature"])

    package struct Params: ControlValue {
        /// A room, a person or a conversation id; nil to receive in all conversations.
        package var to: String?
        package var name = ""
        /// Whom alone what is sent is for.
        package var member: String?
        /// Whether to receive what others send, instead of sending.
        package var receive: Bool?
        /// Of what is sent, whether a packet that comes behind a later one is dropped.
        package var ordered: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "to", &self.to, .word,
                "A room (bare word), @name, @ and at least 8 characters of an id, or a conversation id; left out with receive: all conversations."
            )
            visitor.field(
                "name", &self.name, .word,
                "The stream's name: letters, digits and - _ . inside it, at most 64 characters.")
            visitor.field(
                "receive", &self.receive, .any,
                "Whether to receive what others send, by the notifications stream and streamError.")
            visitor.field(
                "member", &self.member, .word,
                "When sending: only this member gets the packets. @name, or @ and at least 8 characters of an id."
            )
            visitor.field(
                "ordered", &self.ordered, .any,
                "When sending: whether to drop a packet that arrives after a later one.")
        }
    }

    /// Refuses what belongs to the other direction.
    package static func check(_ params: Params) throws(RPCError) {
        if params.receive == true {
            guard params.member != nil else { return }
            throw .invalidParams(
                "\"member\" is for sending", reason: "badParam", remedy: "leave it out",
                details: [JSON.Member("param", "member")])
        }
        guard params.to == nil else { return }
        throw .invalidParams(
            "openStream needs \"to\" to send", reason: "badParam",
            remedy: "name a conversation, or receive: true to hear all of them",
            details: [JSON.Member("param", "to")])
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
