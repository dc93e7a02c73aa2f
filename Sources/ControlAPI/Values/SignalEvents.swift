/// The notification `presence`.
package struct PresenceEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var peer = ""
    /// The name that it goes by here.
    package var name = ""
    /// True where the name could be taken for that of somebody else; nil otherwise.
    package var ambiguous: Bool?
    /// How reachable its user is.
    package var presence = PresenceWord.offline
    /// When it was linked last; nil, written as null, when never.
    package var lastSeen: Timestamp?

    package init() {}

    package static var name: String { "presence" }
    package static var summary: String {
        "Somebody is there, away or gone; only for subscriptions with the kind presence."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("peer", &self.peer, .id)
        visitor.field("name", &self.name)
        visitor.field("ambiguous", &self.ambiguous)
        visitor.field("presence", &self.presence)
        visitor.field("lastSeen", &self.lastSeen, .orNull)
    }
}

/// The notification `typing`.
package struct TypingEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var conversation = ""
    /// What that is called.
    package var conversationName = ""
    package var peer = ""
    /// The name that it goes by here.
    package var name = ""
    /// True where the name could be taken for that of somebody else; nil otherwise.
    package var ambiguous: Bool?
    /// Whether they write, or do so no longer.
    package var typing = false

    package init() {}

    package static var name: String { "typing" }
    package static var summary: String {
        "Somebody writes in a conversation, or does so no longer; only for subscriptions with the kind typing."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("conversation", &self.conversation, .id)
        visitor.field("conversationName", &self.conversationName)
        visitor.field("peer", &self.peer, .id)
        visitor.field("name", &self.name)
        visitor.field("ambiguous", &self.ambiguous)
        visitor.field("typing", &self.typing)
    }
}

/// The notification `picture`.
package struct PictureEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var peer = ""
    /// The name that it goes by here.
    package var name = ""
    /// True where the name could be taken for that of somebody else; nil otherwise.
    package var ambiguous: Bool?
    /// The picture, which is here; nil, written as null, for none.
    package var picture: PictureResult?

    package init() {}

    package static var name: String { "picture" }
    package static var summary: String {
        "Somebody's picture has come or changed, or they have none any longer; only for subscriptions with the kind picture."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("peer", &self.peer, .id)
        visitor.field("name", &self.name)
        visitor.field("ambiguous", &self.ambiguous)
        visitor.field("picture", &self.picture, .orNull)
    }
}
