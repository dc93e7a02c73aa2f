/// The method `join`.
package enum JoinMethod: ControlMethod {
    package static let description = MethodDescription(
        "join", "Join a room, or create it by being the first; or come into a group by its link.",
        result: "conversation",
        errors: [.notFound, .ambiguous, .refused, .busy, .tooLarge, .storageFailed], isChange: true,
        details:
            "Joining again changes nothing. Deriving the key of a phrase takes half a "
            + "second and 256 MiB, one at a time. A different phrase, name or realm leads to "
            + "a different, empty room. A group's link lets the user in as soon as a member is linked; "
            + "until then, or until an admin agrees, the answer has waiting, and requests lists the group.",
        reasons: [
            "badPhrase": "a phrase of six words has a mistake",
            "badInvite": "the invitation was mistyped or cut",
            "tooManyRooms": "no room for more conversations",
            "notInRealm": "the user is not in the group's realm",
            "linkExpired": "the group's link has expired",
            "linkEnded": "a member says that the group's link was ended; others are still asked",
            "linkAltered": "the line is not that of the group's link",
        ],
        example: ["room": "ops"])

    /// Which room, or what invites to it.
    package struct Params: ControlValue {
        /// The room's name, a bare word, maybe behind the name of its realm and `/`.
        package var room: String?
        /// The phrase of a secret room.
        package var phrase: String?
        /// How a secret room is sealed, where its phrase does not say; nil for `xchacha20-poly1305`.
        package var suite: SuiteWord?
        /// The line that invites to a secret room, or that of a group's link, in the place of all else.
        package var invite: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "room", &self.room, .word,
                "The room: NAME, REALM/NAME, or &NAME for a secret room you were in.")
            visitor.field("phrase", &self.phrase, .any, "The phrase of a secret room.")
            visitor.field(
                "suite", &self.suite, .any,
                "The cipher of a secret room whose phrase a person chose: xchacha20-poly1305 (default) or aes-256-gcm."
            )
            visitor.field(
                "invite", &self.invite, .any,
                "An invitation to a secret room, or a group's link, instead of the other parameters."
            )
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
                "an invitation needs nothing else", reason: "oneOf",
                remedy: "leave \"phrase\" and \"suite\" out",
                details: [JSON.Member("param", "phrase")])
        }
    }
}
