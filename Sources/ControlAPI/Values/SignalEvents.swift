/// The notification `presence`.
public struct PresenceEvent: ControlEvent {
    /// The number of the subscription.
    public var subscription: Int64 = 0
    /// Whose device.
    public var peer = ""
    /// The name that it goes by here.
    public var name = ""
    /// True where the name could be taken for that of somebody else; nil otherwise.
    public var ambiguous: Bool?
    /// How reachable its user is.
    public var presence = PresenceWord.offline
    /// When it was linked last; nil, written as null, when never.
    public var lastSeen: Timestamp?

    /// An empty event.
    public init() {}

    /// The name of the notification.
    public static var name: String { "presence" }
    /// One sentence for people.
    public static var summary: String {
        "Somebody is there, away or gone; only for subscriptions with the kind presence."
    }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("peer", &self.peer, .id)
        visitor.field("name", &self.name)
        visitor.field("ambiguous", &self.ambiguous)
        visitor.field("presence", &self.presence)
        visitor.field("lastSeen", &self.lastSeen, .orNull)
    }
}

/// The notification `typing`.
public struct TypingEvent: ControlEvent {
    /// The number of the subscription.
    public var subscription: Int64 = 0
    /// In which conversation.
    public var conversation = ""
    /// What that is called.
    public var conversationName = ""
    /// Whose device.
    public var peer = ""
    /// The name that it goes by here.
    public var name = ""
    /// True where the name could be taken for that of somebody else; nil otherwise.
    public var ambiguous: Bool?
    /// Whether they write, or do so no longer.
    public var typing = false

    /// An empty event.
    public init() {}

    /// The name of the notification.
    public static var name: String { "typing" }
    /// One sentence for people.
    public static var summary: String {
        "Somebody writes in a conversation, or does so no longer; only for subscriptions with the kind typing."
    }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
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
public struct PictureEvent: ControlEvent {
    /// The number of the subscription.
    public var subscription: Int64 = 0
    /// Whose device.
    public var peer = ""
    /// The name that it goes by here.
    public var name = ""
    /// True where the name could be taken for that of somebody else; nil otherwise.
    public var ambiguous: Bool?
    /// The picture, which is here; nil, written as null, for none.
    public var picture: PictureResult?

    /// An empty event.
    public init() {}

    /// The name of the notification.
    public static var name: String { "picture" }
    /// One sentence for people.
    public static var summary: String {
        "Somebody's picture has come or changed, or they have none any longer; only for subscriptions with the kind picture."
    }

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("subscription", &self.subscription)
        visitor.field("peer", &self.peer, .id)
        visitor.field("name", &self.name)
        visitor.field("ambiguous", &self.ambiguous)
        visitor.field("picture", &self.picture, .orNull)
    }
}
