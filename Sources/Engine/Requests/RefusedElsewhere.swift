internal import Formats

/// Conversations in which linked peers refuse the running own log, as they say.
struct RefusedElsewhere: Sendable {
    private var refused: [ConversationID: Set<LinkID>] = [:]

    /// The conversations in which somebody does, ascending.
    var conversations: [ConversationID] { self.refused.keys.sorted() }

    /// Whether the peer of a link does.
    func isRefused(_ conversation: ConversationID, on link: LinkID) -> Bool {
        self.refused[conversation]?.contains(link) ?? false
    }

    /// Takes what a peer says of the running own log; false where that is nothing new.
    mutating func receive(
        _ isRefused: Bool, _ conversation: ConversationID, on link: LinkID
    ) -> Bool {
        guard isRefused else { return self.drop(conversation, of: link) }
        return self.refused[conversation, default: []].insert(link).inserted
    }

    /// A link has ended, or shares a conversation no longer, or none where that is nil; false where its
    /// peer refused nothing.
    mutating func drop(_ conversation: ConversationID?, of link: LinkID) -> Bool {
        guard !self.refused.isEmpty else { return false }
        var isNews = false
        for id in self.refused.keys where conversation == nil || conversation == id {
            if self.refused[id]?.remove(link) != nil { isNews = true }
        }
        if isNews { self.refused = self.refused.filter { !$0.value.isEmpty } }
        return isNews
    }
}
