/// The method `createConversation`.
package enum CreateConversationMethod: ControlMethod {
    package static let description = MethodDescription(
        "createConversation",
        "Begin the conversation with one person, who is known then, or make a secret room.",
        result: "created", errors: [.notFound, .ambiguous, .refused, .busy, .storageFailed],
        access: .group, isChange: true)

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
                "The secret room's phrase, 1 to 200 bytes; six words are made where none is given.")
            visitor.field(
                "suite", &self.suite, .any,
                "How the room is sealed: xchacha20-poly1305 (default) or aes-256-gcm.")
        }
    }

    /// What was begun.
    package struct Result: ControlValue {
        /// The conversation, which may have been there.
        package var conversation = ConversationResult()
        /// The secret room's phrase where it was made now: it is kept nowhere.
        package var phrase: String?
        /// The line that invites to the secret room.
        package var invite: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("conversation", &self.conversation)
            visitor.field("phrase", &self.phrase)
            visitor.field("invite", &self.invite)
        }
    }

    /// Refuses both, neither, and what goes with a room only.
    package static func check(_ params: Params) throws(RPCError) {
        guard (params.person == nil) != (params.room == nil) else {
            throw .invalidParams(
                "give a person or a room", reason: "oneOf",
                remedy: "\"person\" for two people, \"room\" for a secret room",
                details: [JSON.Member("param", "room")])
        }
        guard params.room != nil || (params.phrase == nil && params.suite == nil) else {
            throw .invalidParams(
                "a phrase and a suite are those of a secret room", reason: "oneOf",
                remedy: "leave them out for a person", details: [JSON.Member("param", "phrase")])
        }
    }
}
