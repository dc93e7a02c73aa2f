internal import Formats

/// Logs of which a peer has asked for payloads and that are not known here, by its tags: it is told
/// when they have come.
struct AwaitedTags: Sendable {
    private struct Tag: Hashable, Sendable {
        var conversation: ConversationID
        var tag: UInt64
    }

    private var tags: Set<Tag> = []

    var count: Int { self.tags.count }

    /// Notes one, while there is room.
    mutating func note(_ tag: UInt64, in conversation: ConversationID) {
        guard self.tags.count < Limits.awaitedTags else { return }
        self.tags.insert(Tag(conversation: conversation, tag: tag))
    }

    /// Takes one out; gives whether it was there.
    mutating func take(_ tag: UInt64, in conversation: ConversationID) -> Bool {
        guard !self.tags.isEmpty else { return false }
        return self.tags.remove(Tag(conversation: conversation, tag: tag)) != nil
    }

    /// Forgets those of a conversation.
    mutating func drop(_ conversation: ConversationID) {
        self.tags = self.tags.filter { $0.conversation != conversation }
    }
}
