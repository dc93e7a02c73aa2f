/// The kinds of entries that this version writes and shows: the one list of them.
///
/// A new kind is one case here, with its ``traits``, and one of ``Content``, which is its codec. An
/// entry whose kind byte is not in the list is stored and relayed, and shown by versions that have
/// it.
public enum EntryKind: UInt8, CaseIterable, Sendable {
    /// A message: UTF-8 text.
    case text = 1
    /// The author joins; the content is the room's name.
    case join = 2
    /// The author leaves; no content.
    case leave = 3

    /// What the store and the node need to know of a kind.
    public struct Traits: Hashable, Sendable {
        /// Whether it makes its author a member (true), ends that (false), or neither (nil).
        public var attendance: Bool?
        /// Whether it counts as unread, and may be a conversation's last message.
        public var countsAsUnread = false
        /// Whether somebody waits for it now: it goes before what is caught up with.
        public var isLive = false
        /// Whether people see it.
        public var isShown = true
    }

    /// What the store and the node need to know of this kind.
    public var traits: Traits {
        switch self {
        case .text: Traits(countsAsUnread: true, isLive: true)
        case .join: Traits(attendance: true)
        case .leave: Traits(attendance: false)
        }
    }
}

/// What an entry says, by its kind.
///
/// How a payload holds it stands in `Content.swift`.
public enum Content: Hashable, Sendable {
    /// A message.
    case text(String)
    /// The author joined the room of that name.
    case join(RoomName)
    /// The author left.
    case leave

    /// The kind of an entry with this content.
    public var kind: EntryKind {
        switch self {
        case .text: .text
        case .join: .join
        case .leave: .leave
        }
    }

    /// The content as the payload holds it.
    var body: [UInt8] {
        switch self {
        case .text(let text): Array(text.utf8)
        case .join(let name): Array(name.text.utf8)
        case .leave: []
        }
    }

    /// Reads the content of a kind in a conversation; nil where it is not one.
    init?(_ kind: EntryKind, body: ArraySlice<UInt8>, in conversation: ConversationID) {
        guard let text = String(utf8: body.span) else { return nil }
        switch kind {
        case .text:
            guard !text.isEmpty else { return nil }
            self = .text(text)
        case .join:
            guard let name = RoomName(text), name.conversation == conversation else { return nil }
            self = .join(name)
        case .leave:
            guard body.isEmpty else { return nil }
            self = .leave
        }
    }
}
