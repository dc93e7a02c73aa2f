/// One conversation in the result of `conversations`, and the result of `join`.
package struct ConversationResult: ControlValue {
    package enum Kind: String, WordValue {
        /// An open room.
        case room
        /// Two people.
        case direct
        /// A room that only those find who have its phrase or link.
        case secret
    }

    package var id = ""
    package var kind = Kind.room
    /// How it is written here: `ops`, `office/ops`, `&ops` for a secret room, `@Ada` for a person.
    package var name = ""
    /// The name of the realm here; nil for two people, who may meet in any.
    package var realm: String?
    /// The room's name in its realm; nil where it is no room.
    package var room: String?
    /// True where another room here has the same name, so that the bare word is refused; nil otherwise.
    package var ambiguous: Bool?
    /// The other person's device; nil where it is no direct conversation.
    package var person: String?
    /// False where this node is not in the realm, so that only the history is here.
    package var reachable = true
    /// How many members are known here; `members` lists them.
    package var members: Int64 = 0
    /// Whether a linked peer may still tell of more members and messages.
    package var learning = false
    /// How many messages were not read.
    package var unread: Int64 = 0
    /// How many of these call the user by name.
    package var mentions: Int64 = 0
    /// True where the user has muted it; nil otherwise.
    package var muted: Bool?
    /// True where the user has put it away; nil otherwise.
    package var archived: Bool?
    /// How many messages would go from this disk by what was asked; nil but for `retain` with `dryRun`.
    package var retainGoing: Int64?
    /// For how many days its messages are kept here; nil for ever.
    package var retainDays: Int64?
    /// How many bytes its messages may take here; nil for any number.
    package var retainBytes: Int64?
    /// What it is about, as a member has said last; nil where nobody has.
    package var topic: String?
    /// The newest message in display order; nil, written as null, when there is none.
    package var lastMessage: MessageResult?

    package init() {}

    /// Others refer to it as `Conversation`.
    package static var schemaName: String? { "Conversation" }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("id", &self.id, .id)
        visitor.field("kind", &self.kind)
        visitor.field("name", &self.name)
        visitor.field("realm", &self.realm)
        visitor.field("room", &self.room)
        visitor.field("person", &self.person, .id)
        visitor.field("reachable", &self.reachable)
        visitor.field("members", &self.members)
        visitor.field("learning", &self.learning)
        visitor.field("unread", &self.unread)
        visitor.field("lastMessage", &self.lastMessage, .orNull)
        visitor.field("muted", &self.muted)
        visitor.field("archived", &self.archived)
        visitor.field("retainDays", &self.retainDays)
        visitor.field("retainGoing", &self.retainGoing)
        visitor.field("mentions", &self.mentions)
        visitor.field("retainBytes", &self.retainBytes)
        visitor.field("topic", &self.topic)
        visitor.field("ambiguous", &self.ambiguous)
    }
}
