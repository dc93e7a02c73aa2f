/// The method `callSignal`.
package enum CallSignalMethod: ControlMethod {
    package static let description = MethodDescription(
        "callSignal",
        "Send a member a piece of what arranges a call, over a direct link; nothing of it is stored.",
        result: "sent",
        errors: [.notFound, .ambiguous, .notMember, .refused, .busy, .tooLarge],
        details:
            "Only in conversations of two and in secret rooms. The page uses it. "
            + "Docs/Protocol/Ephemeral.md defines the bytes. Others' pieces arrive by the "
            + "notification call.",
        reasons: [
            "notInRoom": "the member is not in the conversation",
            "notLinked": "there is no direct link to the member",
            "openRoom": "the conversation is a room that everyone may join",
            "cannotSeal": "the processor has no AES",
            "tooFast": "the conversation has used up its rate; data has retryMilliseconds",
        ],
        example: ["to": "@ben", "member": "@ben", "data": "AQ=="])

    package struct Params: ControlValue {
        /// A conversation of two or a secret room.
        package var to = ""
        package var member = ""
        /// Whether only the device that `member` names gets it.
        package var device: Bool?
        package var data = Base64()

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "to", &self.to, .word,
                "A secret room, @name, @ and at least 8 characters of an id, or a conversation id.")
            visitor.field(
                "member", &self.member, .word,
                "The receiver: @name, or @ and at least 8 characters of an id.")
            visitor.field(
                "device", &self.device, .any,
                "Whether only the device of that id gets it, and not all of the member's devices.")
            visitor.field("data", &self.data, .any, "1 to 1024 bytes, in base64.")
        }
    }

    package struct Result: ControlValue {
        package var told: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "told", &self.told, .any,
                "How many devices got it; 0 if theirs know no calls.")
        }
    }
}
