/// One conversation in the result of `conversations`, and the result of `join`.
package struct ConversationResult: ControlValue {
    package enum Kind: String, WordValue {
        /// An open room.
        case room
        /// Two people.
        case direct
        /// A room that only those find who have its phrase or link.
        case secret
        /// Whom its admins bring in.
        case group
    }

    package var id = ""
    package var kind = Kind.room
    package var name = ""
    package var realm: String?
    package var room: String?
    package var ambiguous: Bool?
    package var looksLike: [String]?
    package var person: String?
    package var reachable = true
    package var members: Int64 = 0
    package var learning = false
    package var unread: Int64 = 0
    package var mentions: Int64 = 0
    package var muted: Bool?
    package var archived: Bool?
    package var retainGoing: Int64?
    package var retainDays: Int64?
    package var retainBytes: Int64?
    package var topic: String?
    package var unasked: [String]?
    package var lastMessage: MessageResult?
    package var firstUnread: String?
    package var secret: Bool?
    package var waiting: JoinWaitWord?

    package init() {}

    /// Others refer to it as `Conversation`.
    package static var schemaName: String? { "Conversation" }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .id, "The conversation's id.")
        visitor.field(
            "kind", &self.kind, .any,
            "room, direct (two people), secret (a secret room) or group.")
        visitor.field(
            "name", &self.name, .any,
            "Its name here: ops, office/ops, &ops for a secret room, +ops for a group, @Ada for a person."
        )
        visitor.field(
            "realm", &self.realm, .any, "The name of the realm here; left out for two people.")
        visitor.field("room", &self.room, .any, "The room's name in its realm.")
        visitor.field(
            "looksLike", &self.looksLike, .any,
            "Other open rooms whose names look the same; left out if there are none.")
        visitor.field(
            "person", &self.person, .id, "The other person's device, in a direct conversation.")
        visitor.field(
            "reachable", &self.reachable, .any,
            "False if this node is not in the realm, so only the history is here.")
        visitor.field(
            "members", &self.members, .any,
            "How many people are known to be in it; the method members lists their devices.")
        visitor.field(
            "learning", &self.learning, .any,
            "Whether a linked peer may still report more members and messages.")
        visitor.field("unread", &self.unread, .any, "How many messages are unread.")
        visitor.field(
            "lastMessage", &self.lastMessage, .orNull,
            "The newest message in display order; null if there is none.")
        visitor.field("muted", &self.muted, .any, "True if muted.")
        visitor.field("archived", &self.archived, .any, "True if archived.")
        visitor.field(
            "retainDays", &self.retainDays, .any,
            "How many days messages are kept on this disk; left out for ever.")
        visitor.field(
            "retainGoing", &self.retainGoing, .any,
            "How many messages would be deleted; only from retain with dryRun.")
        visitor.field(
            "mentions", &self.mentions, .any, "How many unread messages mention the user.")
        visitor.field(
            "retainBytes", &self.retainBytes, .any,
            "How many bytes of text are kept on this disk; left out for any number.")
        visitor.field("topic", &self.topic, .any, "The topic; left out if there is none.")
        visitor.field(
            "ambiguous", &self.ambiguous, .any,
            "True if another room here has the same name, so the bare word is refused.")
        visitor.field(
            "firstUnread", &self.firstUnread, .id,
            "The first unread message; left out if there is none, or more than 1,000.")
        visitor.field(
            "secret", &self.secret, .any,
            "True if only its members can read it: encrypted with a key of its own.")
        visitor.field(
            "waiting", &self.waiting, .any,
            "Only from join with a group's link, if the user is not in the group yet: waits for any member, or for an admin."
        )
        visitor.field(
            "unasked", &self.unasked, .any,
            "Only from groupAct with remove or demote: the names of members who could not be asked first; left out if there are none."
        )
    }
}
