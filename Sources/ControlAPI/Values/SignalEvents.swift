/// The notification `presence`.
package struct PresenceEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var peer = ""
    package var name = ""
    package var ambiguous: Bool?
    /// Whoever is something that this version does not know is there.
    package var presence = PresenceWord.online
    package var lastSeen: Timestamp?
    package var event: ComingWord?
    package var after: ComingWord?
    package var conversations: [String]?

    package init() {}

    package static var name: String { "presence" }
    package static var summary: String {
        "A person came online or went away; only with the kind presence."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field("peer", &self.peer, .id, "The person's device.")
        visitor.field("name", &self.name, .any, "The person's name here.")
        visitor.ambiguous(&self.ambiguous)
        visitor.field("presence", &self.presence, .any, "online, away or offline.")
        visitor.field("lastSeen", &self.lastSeen, .orNull, "When last linked; null if never.")
        visitor.field(
            "event", &self.event, .any,
            "joined (for the first time since the daemon started), back, away, left (with a goodbye) or interrupted (the link was lost). Absent if only the state is told."
        )
        visitor.field("after", &self.after, .any, "For back: away, left or interrupted.")
        visitor.field(
            "conversations", &self.conversations, .any,
            "The ids of the conversations in which the event is to be shown.")
    }
}

/// The notification `typing`.
package struct TypingEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var conversation = ""
    package var conversationName = ""
    package var peer = ""
    package var name = ""
    package var ambiguous: Bool?
    package var typing = false

    package init() {}

    package static var name: String { "typing" }
    package static var summary: String {
        "A person started or stopped typing in a conversation; only with the kind typing."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field("conversation", &self.conversation, .id, "The conversation's id.")
        visitor.field(
            "conversationName", &self.conversationName, .any, "The conversation's name here.")
        visitor.field("peer", &self.peer, .id, "The person's device.")
        visitor.field("name", &self.name, .any, "The person's name here.")
        visitor.ambiguous(&self.ambiguous)
        visitor.field(
            "typing", &self.typing, .any,
            "Whether they are typing; false once they have sent it or stopped.")
    }
}

/// The notification `picture`.
package struct PictureEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var peer = ""
    package var name = ""
    package var ambiguous: Bool?
    package var picture: PictureResult?

    package init() {}

    package static var name: String { "picture" }
    package static var summary: String {
        "A person's picture arrived, changed or was removed; only with the kind picture."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field("peer", &self.peer, .id, "The person's device.")
        visitor.field("name", &self.name, .any, "The person's name here.")
        visitor.ambiguous(&self.ambiguous)
        visitor.field(
            "picture", &self.picture, .orNull, "The picture, which is here; null if they have none."
        )
    }
}

/// The notification `missing`.
package struct MissingEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var conversation = ""
    package var conversationName = ""
    package var missing: [MissingResult] = []
    package var moreMissing: Int64?

    package init() {}

    package static var name: String { "missing" }
    package static var summary: String {
        "Messages of a conversation turned out to be missing, or arrived; only with the kind missing."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field("conversation", &self.conversation, .id, "The conversation's id.")
        visitor.field(
            "conversationName", &self.conversationName, .any, "The conversation's name here.")
        visitor.field(
            "missing", &self.missing, .any,
            "All that is missing now, by author, contacts first, at most 16; empty once all is here."
        )
        visitor.moreMissing(&self.moreMissing)
    }
}
