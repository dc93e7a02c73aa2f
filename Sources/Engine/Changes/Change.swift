package import Formats

/// Something that a subscriber is told of, at its place in the order of arrival.
///
/// One order holds all of them, so one cursor says how far a subscriber is. Who joined or left a
/// conversation stands in it as a message of that kind, since that is an entry and has its place
/// among the others. `Docs/ControlAPI.md`, which also lists the kinds that are reserved.
package enum Change: Hashable, Sendable {
    /// What subscribers choose by.
    package enum Kind: Hashable, Sendable, CaseIterable {
        /// What people wrote, and who joined or left.
        case message
        /// Where this node itself is: in which conversations and realms.
        case conversation
        /// What a person should know about.
        case alert
        /// Who has written to the user and waits to be accepted.
        case request
        /// Messages that were shown and are taken back.
        case erased
        /// Messages that have another text.
        case edited
        /// What people make of messages.
        case reaction
        /// Who has own messages, and who has read them.
        case delivery
        /// Who of those whom the user knows is here.
        case peer
        /// What programs send each other by durable streams.
        case stream
        /// Whom the user knows, and what these say of themselves.
        case person
        /// What the user can set of the node.
        case setting
        /// People join or leave a group, are removed from it, or become or cease to be its admins.
        case roster
    }

    /// An entry that people see.
    case message(Message)
    /// What has no entry, at its place.
    case notice(Cursor, Notice)

    /// Its place in the order of arrival.
    package var cursor: Cursor {
        switch self {
        case .message(let message): message.cursor
        case .notice(let cursor, _): cursor
        }
    }

    /// What sort of change it is.
    package var kind: Kind {
        switch self {
        case .message(let message): message.kind
        case .notice(_, let notice): notice.kind
        }
    }

    /// Whether it says that others are missing, of whatever conversation.
    package var isGap: Bool {
        if case .notice(_, let notice) = self { notice.isGap } else { false }
    }

    /// The conversation that it belongs to; nil for none.
    package var conversation: ConversationID? {
        switch self {
        case .message(let message): message.conversation
        case .notice(_, let notice): notice.conversation
        }
    }
}

extension Message {
    /// What sort of change it is: an edit or a reaction stands with another message.
    fileprivate var kind: Change.Kind {
        switch self.content {
        case .edit: .edited
        case .reaction: .reaction
        case .stream: .stream
        default: .message
        }
    }
}
