/// What a user tells of themselves, unless they keep that to themselves.
package enum Presence: UInt8, Hashable, Sendable, CaseIterable {
    /// They can be reached.
    case online = 1
    /// They have left their machine for a while.
    case away = 2
}

/// That somebody comes or goes, as the conversations are told that they share with the user.
package struct Coming: Hashable, Sendable {
    package enum Event: Hashable, Sendable {
        /// They are there, for the first time since this node has started.
        case joined
        case back
        case away
        /// They have said goodbye.
        case left
        /// Their link was lost.
        case interrupted
    }

    package var event: Event
    /// What ends with it; only for those who are back.
    package var after: Event?
    package var conversations: [ConversationID]

    package init(_ event: Event, after: Event? = nil, in conversations: [ConversationID]) {
        (self.event, self.after, self.conversations) = (event, after, conversations)
    }
}

/// What those who follow are told and what nothing keeps: who misses it can do without.
package enum Signal: Hashable, Sendable {
    /// How reachable somebody is now; nil for somebody who is not linked any longer.
    case presence(PeerID, Presence?, Coming? = nil)
    /// Somebody writes in a conversation, or does so no longer.
    case typing(PeerID, ConversationID, Bool)
    /// The picture of somebody is here, or the one that was is theirs no longer: nil.
    case picture(PeerID, ProfilePicture?)
    /// Other messages of a conversation are missing here than were, or none are.
    case missing(ConversationID)
    /// A packet of somebody's stream, of which the number tells it from others of theirs.
    case packet(PeerID, ConversationID, stream: UInt64, StreamPacket)
    /// A piece of what arranges a call, and the address of the link on which it came.
    case call(PeerID, ConversationID, [UInt8], address: String)
}
