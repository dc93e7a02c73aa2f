/// The method `createConversation`.
package enum CreateConversationMethod: ControlMethod {
    package static let description = MethodDescription(
        "createConversation",
        "Start a conversation with one person, who becomes a contact, or create a secret room.",
        result: "created", errors: [.notFound, .ambiguous, .refused, .busy, .storageFailed],
        access: .group, isChange: true,
        details:
            "A phrase you choose must have 60 bits, as libzxcvbn estimates.",
        reasons: [
            "keysUnknown":
                "the person's keys never arrived here; link to them once, or join a room they are in",
            "nameTaken": "a secret room with that name is here",
            "weakPhrase": "the phrase is too easy to guess",
            "badPhrase": "a phrase of six words has a mistake",
            "cannotJudge": "libzxcvbn is not installed",
            "cannotSeal": "the processor has no AES",
            "ownerOnly": "a member of the socket's group may not create rooms",
        ],
        example: ["room": "plans"])

    /// With whom, or which room.
    package struct Params: ControlValue {
        /// A person, for the conversation with them.
        package var person: String?
        /// The name of a secret room.
        package var room: String?
        /// The phrase of which its key is made; nil for one that is made now.
        package var phrase: String?
        /// How its messages are sealed; nil for `xchacha20-poly1305`.
        package var suite: SuiteWord?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "person", &self.person, .word, "A person: @name, or @ and 8 characters of a key.")
            visitor.field("room", &self.room, .word, "A secret room: NAME, or REALM/NAME.")
            visitor.field(
                "phrase", &self.phrase, .any,
                "The secret room's phrase, 1 to 200 bytes; left out: six new words.")
            visitor.field(
                "suite", &self.suite, .any,
                "The room's cipher: xchacha20-poly1305 (default) or aes-256-gcm.")
        }
    }

    /// What was begun.
    package struct Result: ControlValue {
        package var conversation = ConversationResult()
        package var phrase: String?
        package var invite: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "conversation", &self.conversation, .any,
                "The conversation, which may have existed before.")
            visitor.field(
                "phrase", &self.phrase, .any,
                "The secret room's phrase, if it was made by this call; it is not stored.")
            visitor.field("invite", &self.invite, .any, "The invitation to the secret room.")
        }
    }

    /// Refuses both, neither, and what goes with a room only.
    package static func check(_ params: Params) throws(RPCError) {
        guard (params.person == nil) != (params.room == nil) else {
            throw .invalidParams(
                "give a person or a room", reason: "oneOf",
                remedy: "\"person\" for a direct conversation, \"room\" for a secret room",
                details: [JSON.Member("param", "room")])
        }
        guard params.room != nil || (params.phrase == nil && params.suite == nil) else {
            throw .invalidParams(
                "only a secret room takes a phrase and a suite", reason: "oneOf",
                remedy: "leave them out for a person", details: [JSON.Member("param", "phrase")])
        }
    }
}
