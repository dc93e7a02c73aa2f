/// What subscribers choose by.
package enum ChangeKind: String, WordValue {
    /// Messages, joins and leaves of others among them.
    case message
    /// In which conversations and realms this node is.
    case conversation
    /// What a person should know about.
    case alert
    /// Who has written to the user and waits to be accepted.
    case request
    /// Messages that were shown and were deleted.
    case deleted
    /// Messages that were given another text.
    case edited
    /// What people make of messages.
    case reaction
    /// Who has own messages, and who has read them: of each member the latest only.
    case delivery
    /// Who of those whom the user knows is linked: of each the latest only.
    case peer
    /// Bytes of durable streams, by the notification `streamPiece`.
    case stream
    /// Whom the user knows, and what these say of themselves: of each the latest only.
    case person
    /// Settings that the user can change.
    case setting
    /// Who is there and who is away, by the notification `presence`: kept nowhere, without a cursor.
    case presence
    /// Who writes in a conversation, by the notification `typing`: kept nowhere, without a cursor.
    case typing
    /// Whose picture is here, or is another one, by the notification `picture`: kept nowhere, without a
    /// cursor.
    case picture
    /// A list that strangers can change has changed, by the notification `list`: not stored, at most
    /// once in two seconds.
    case list
    /// How many members conversations have, by the notification `members`: not stored, at most once in two
    /// seconds.
    case members
    /// What is missing of conversations, by the notification `missing`: kept nowhere, without a cursor.
    case missing
    /// What arranges calls, by the notification `call`: kept nowhere, without a cursor.
    case call
    /// Who came into a group, is out of it, or is an admin there; and, by the notification `roster`, that the
    /// group is to be read again.
    case roster
}

/// One change that is no message, in the notification `change`.
package struct ChangeResult: ControlValue {
    package enum Event: String, WordValue {
        /// The user has joined the conversation.
        case joined
        /// The user has left the conversation.
        case left
        /// The user has muted the conversation, put it away, or ended one of these.
        case arranged
        /// The user has joined the realm.
        case realmJoined
        /// The user has left the realm.
        case realmLeft
        /// The realm has another secret.
        case realmRenewed
        /// The alert stands, or says something else.
        case raised
        /// The alert is over.
        case cleared
        /// Somebody whom the user does not know has written, and waits to be accepted.
        case requested
        /// A message that was shown was deleted by its author.
        case deleted
        /// A message was given another text by its author.
        case edited
        /// Somebody has given a sign to a message.
        case reacted
        /// Somebody has removed a reaction.
        case removed
        /// Somebody has an own message, and the own ones before it.
        case delivered
        /// Somebody has read an own message, and the own ones before it.
        case read
        /// The user has read the conversation, as far as `unread` says.
        case seen
        /// Somebody invites the user to a group.
        case invited
        /// The user has accepted somebody who waited, or an invitation to a group.
        case accepted
        /// The user has turned down somebody who waited, or an invitation to a group.
        case declined
        /// The user has added somebody to their contacts.
        case added
        /// The user has compared keys with somebody.
        case verified
        /// The user has blocked somebody.
        case blocked
        /// The user has removed or unblocked somebody.
        case unlisted
        /// A contact or the user has another name, status or picture.
        case profile
        /// A setting has another value.
        case changed
        /// Somebody was brought into a group.
        case memberAdded
        /// Somebody has left a group.
        case memberLeft
        /// Somebody was removed from a group.
        case memberRemoved
        /// Somebody is an admin of a group now.
        case adminAdded
        /// An admin of a group was demoted.
        case adminRemoved
        /// Somebody is linked.
        case linked
        /// Somebody is linked no longer.
        case unlinked
    }

    package var kind = ChangeKind.alert
    package var event = Event.raised
    package var time = Timestamp(milliseconds: 0)
    package var cursor: Int64 = 0
    package var id: String?
    package var name: String?
    package var code: String?
    package var peer: String?
    package var peerName: String?
    package var by: String?
    package var byName: String?
    package var message: String?
    package var muted: Bool?
    package var archived: Bool?
    package var unread: Int64?
    package var mentions: Int64?
    package var reason: ComingWord?
    package var text: String?
    package var status: String?
    package var value: String?
    package var count: Int64?
    /// Whether `event` is what the daemon wrote.
    private var isEventKnown = true

    package init() {}

    package init?(lenient json: JSON) {
        guard case .object(let members) = json else { return nil }
        self.init(lenientFrom: members)
        self.isEventKnown = json["event"].flatMap { Event(field: $0) } != nil
    }

    /// The event; nil where this version does not know it.
    package var knownEvent: Event? { self.isEventKnown ? self.event : nil }

    /// Others refer to it as `Change`.
    package static var schemaName: String? { "Change" }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("kind", &self.kind, .any, "The kind of change.")
        visitor.field(
            "event", &self.event, .any, "The event; ControlAPI.md lists the events of each kind.")
        visitor.field("time", &self.time, .any, "When it happened.")
        visitor.field("cursor", &self.cursor, .any, "Its place in this node's order of arrival.")
        visitor.field("id", &self.id, .id, "The id of the conversation or realm.")
        visitor.field(
            "by", &self.by, .id,
            "A device of the person who did that in a group; left out if none is known.")
        visitor.field(
            "byName", &self.byName, .any,
            "The name of the person who did that in a group; left out if nobody did.")
        visitor.field(
            "name", &self.name, .any,
            "The name of the conversation, the realm, or the setting, or the person who asks to be accepted or has a new profile."
        )
        visitor.field("code", &self.code, .any, "The alert: a stable word for programs.")
        visitor.field("peer", &self.peer, .id, "The device of the person it is about.")
        visitor.field(
            "message", &self.message, .id,
            "The message that was deleted, edited, reacted to, delivered or read.")
        visitor.field(
            "text", &self.text, .any,
            "The alert's text, the first text of a request, the new text of a message, or the emoji or word of a reaction."
        )
        visitor.field(
            "peerName", &self.peerName, .any,
            "The name of the person it is about; Ada@ and the beginning of the key if the name is ambiguous."
        )
        visitor.field(
            "reason", &self.reason, .any,
            "Why the contact is not linked: left (with a goodbye) or interrupted (the link was lost)."
        )
        visitor.field("status", &self.status, .any, "The person's status text now.")
        visitor.field("value", &self.value, .any, "The setting's value now.")
        visitor.field(
            "count", &self.count, .any,
            "How many people have given this reaction to the message now; left out if the message is not here."
        )
        visitor.field("muted", &self.muted, .any, "Whether the conversation is muted now.")
        visitor.field("archived", &self.archived, .any, "Whether the conversation is archived now.")
        visitor.field("unread", &self.unread, .any, "How many messages are unread now.")
        visitor.field("mentions", &self.mentions, .any, "How many of them mention the user.")
    }
}
