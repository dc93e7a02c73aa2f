/// One conversation in the result of `conversations`, and the result of `join`.
public struct ConversationResult: ControlValue {
    /// The kinds of conversation.
    public enum Kind: String, WordValue {
        /// An open room.
        case room
        /// Two people.
        case direct
        /// A room that only those find who have its phrase or link.
        case secret
    }

    /// The conversation's id.
    public var id = ""
    /// Its kind.
    public var kind = Kind.room
    /// How it is written here: `ops`, `office/ops`, `&ops` for a secret room, `@Ada` for a person.
    public var name = ""
    /// The name of the realm here; nil for two people, who may meet in any.
    public var realm: String?
    /// The room's name in its realm; nil where it is no room.
    public var room: String?
    /// True where another room here has the same name, so that the bare word is refused; nil otherwise.
    public var ambiguous: Bool?
    /// The other person's device; nil where it is no direct conversation.
    public var person: String?
    /// False where this node is not in the realm, so that only the history is here.
    public var reachable = true
    /// How many members are known here; `members` lists them.
    public var members: Int64 = 0
    /// Whether a linked peer may still tell of more members and messages.
    public var learning = false
    /// How many messages were not read.
    public var unread: Int64 = 0
    /// How many of these call the user by name.
    public var mentions: Int64 = 0
    /// True where the user has muted it; nil otherwise.
    public var muted: Bool?
    /// True where the user has put it away; nil otherwise.
    public var archived: Bool?
    /// How many messages would go from this disk by what was asked; nil but for `retain` with `dryRun`.
    public var retainGoing: Int64?
    /// For how many days its messages are kept here; nil for ever.
    public var retainDays: Int64?
    /// How many bytes its messages may take here; nil for any number.
    public var retainBytes: Int64?
    /// What it is about, as a member has said last; nil where nobody has.
    public var topic: String?
    /// The newest message in display order; nil, written as null, when there is none.
    public var lastMessage: MessageResult?

    /// An empty value.
    public init() {}

    /// Others refer to it as `Conversation`.
    public static var schemaName: String? { "Conversation" }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
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
