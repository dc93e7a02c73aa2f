/// The method `join`.
package enum JoinMethod: ControlMethod {
    package static let description = MethodDescription(
        "join", "Join a room; a room exists as soon as someone is in it.",
        result: "conversation",
        errors: [.notFound, .ambiguous, .refused, .busy, .tooLarge, .storageFailed], isChange: true)

    /// Which room, or what invites to it.
    package struct Params: ControlValue {
        /// The room's name, a bare word, maybe behind the name of its realm and `/`.
        package var room: String?
        /// The phrase of a secret room.
        package var phrase: String?
        /// How a secret room is sealed, where its phrase does not say; nil for `xchacha20-poly1305`.
        package var suite: SuiteWord?
        /// The line that invites to a secret room, in the place of all else.
        package var invite: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "room", &self.room, .word,
                "The room: NAME, REALM/NAME, or &NAME for a secret one that you were in.")
            visitor.field("phrase", &self.phrase, .any, "The phrase of a secret room.")
            visitor.field(
                "suite", &self.suite, .any,
                "How a secret room is sealed whose phrase somebody chose: xchacha20-poly1305 (default) or aes-256-gcm."
            )
            visitor.field(
                "invite", &self.invite, .any,
                "The line that invites to a secret room, instead of the others.")
        }
    }

    /// The room; the same when it was joined before.
    package typealias Result = ConversationResult

    /// Refuses both a room and an invitation, and neither.
    package static func check(_ params: Params) throws(RPCError) {
        guard (params.room == nil) != (params.invite == nil) else {
            throw .invalidParams(
                "give a room or an invitation", reason: "oneOf",
                remedy: "\"room\", with \"phrase\" for a secret one, or \"invite\"",
                details: [JSON.Member("param", "room")])
        }
        guard params.room != nil || (params.phrase == nil && params.suite == nil) else {
            throw .invalidParams(
                "an invitation says all", reason: "oneOf",
                remedy: "leave \"phrase\" and \"suite\" out",
                details: [JSON.Member("param", "phrase")])
        }
    }
}
