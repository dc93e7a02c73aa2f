/// A list of which subscribers are told that it changed; its word is the method that gives it.
package enum ChangedListWord: String, WordValue {
    /// The open rooms around.
    case rooms
    /// The linked and known peers.
    case peers
    /// Those who wait to be accepted.
    case requests
    /// The user's own devices.
    case devices
}

/// The notification `list`.
package struct ListEvent: ControlEvent {
    package var subscription: Int64 = 0
    /// One that this version does not know is read as the shortest.
    package var list = ChangedListWord.requests
    package var cursor: Int64 = 0

    package init() {}

    package static var name: String { "list" }
    package static var summary: String {
        "A list that strangers can change is another one: read it again; only with the kind list."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field(
            "list", &self.list, .any,
            "The method that gives the list: rooms, peers, requests or devices.")
        visitor.field("cursor", &self.cursor, .any, "The newest change before it.")
    }
}

/// The notification `roster`.
package struct RosterEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var conversation = ""
    package var conversationName = ""
    package var cursor: Int64 = 0

    package init() {}

    package static var name: String { "roster" }
    package static var summary: String {
        "A group has other members, roles or undecided acts: ask groupInfo again; only with the kind roster."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field("conversation", &self.conversation, .id, "The group's id.")
        visitor.field("conversationName", &self.conversationName, .any, "The group's name here.")
        visitor.field("cursor", &self.cursor, .any, "The newest change before it.")
    }
}

/// The notification `members`.
package struct MembersEvent: ControlEvent {
    package var subscription: Int64 = 0
    package var conversation = ""
    package var conversationName = ""
    package var members: Int64 = 0
    package var cursor: Int64 = 0

    package init() {}

    package static var name: String { "members" }
    package static var summary: String {
        "A conversation has more or fewer members; only with the kind members."
    }

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.subscription(&self.subscription)
        visitor.field("conversation", &self.conversation, .id, "The conversation's id.")
        visitor.field(
            "conversationName", &self.conversationName, .any, "The conversation's name here.")
        visitor.field("members", &self.members, .any, "How many members are known.")
        visitor.field("cursor", &self.cursor, .any, "The newest change before it.")
    }
}
