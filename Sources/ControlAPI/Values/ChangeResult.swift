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
    /// Messages that were shown and are taken back.
    case erased
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
    /// Who is there and who is away, by the notification `presence`: kept nowhere, without a cursor.
    case presence
    /// Who writes in a conversation, by the notification `typing`: kept nowhere, without a cursor.
    case typing
    /// Whose picture is here, or is another one, by the notification `picture`: kept nowhere, without a
    /// cursor.
    case picture
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
        /// A message that was shown is taken back by its author.
        case erased
        /// A message was given another text by its author.
        case edited
        /// Somebody has given a sign to a message.
        case reacted
        /// Somebody has taken a sign back.
        case withdrawn
        /// Somebody has an own message, and the own ones before it.
        case delivered
        /// Somebody has read an own message, and the own ones before it.
        case read
        /// The user has read the conversation, as far as `unread` says.
        case seen
        /// Somebody is linked.
        case linked
        /// Somebody is linked no longer.
        case unlinked
    }

    /// What sort of change it is; never `message`, `stream`, `presence` or `typing`.
    package var kind = ChangeKind.alert
    package var event = Event.raised
    package var time = Timestamp(milliseconds: 0)
    /// Its position in this node's order of arrival.
    package var cursor: Int64 = 0
    /// The id of the conversation or of the realm; nil for others.
    package var id: String?
    /// The name of the conversation, of the realm, or of who waits to be accepted; nil for an alert.
    package var name: String?
    /// The alert, as a stable word for programs; nil for others.
    package var code: String?
    /// Which person's device it is about; nil for none.
    package var peer: String?
    /// The name that the person goes by here, where they have edited or taken back a message, react to
    /// one, have an own one, or are linked; nil for others.
    ///
    /// As `Ada@` and the beginning of the key where the name is ambiguous.
    package var peerName: String?
    /// The message that was taken back or edited, that somebody reacts to, has or has read; nil for
    /// others.
    package var message: String?
    /// Whether the conversation is muted from here on; nil for other events.
    package var muted: Bool?
    /// Whether the conversation is put away from here on; nil for other events.
    package var archived: Bool?
    /// How many messages of the conversation are unread now; nil for other events.
    package var unread: Int64?
    /// How many of these call the user by name; nil for other events.
    package var mentions: Int64?
    /// What the alert says, what was written first, the text that a message has now, or the sign; nil
    /// for others and for an alert that is over.
    package var text: String?

    package init() {}

    /// Others refer to it as `Change`.
    package static var schemaName: String? { "Change" }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("kind", &self.kind)
        visitor.field("event", &self.event)
        visitor.field("time", &self.time)
        visitor.field("cursor", &self.cursor)
        visitor.field("id", &self.id, .id)
        visitor.field("name", &self.name)
        visitor.field("code", &self.code)
        visitor.field("peer", &self.peer, .id)
        visitor.field("message", &self.message, .id)
        visitor.field("text", &self.text)
        visitor.field("peerName", &self.peerName)
        visitor.field("muted", &self.muted)
        visitor.field("archived", &self.archived)
        visitor.field("unread", &self.unread)
        visitor.field("mentions", &self.mentions)
    }
}
