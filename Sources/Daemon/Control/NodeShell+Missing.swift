internal import ControlAPI
internal import Engine
internal import Formats

/// What is missing of conversations, for clients.
extension NodeShell {
    /// What is missing of a conversation at this moment, and of how many authors more is; nil for nothing.
    func missing(in id: ConversationID) -> (listed: [MissingResult]?, more: Int64?) {
        let missing = self.node.ask { $0.missing(in: id) }
        guard !missing.isEmpty else { return (nil, nil) }
        return self.shown(missing)
    }

    /// What has been missing of a conversation for a while.
    func incomplete(_ id: ConversationID) -> IncompleteConversation {
        IncompleteConversation {
            $0.conversation = id.description
            $0.conversationName = self.name(of: id)
            ($0.missing, $0.moreMissing) = self.shown(self.node.ask { $0.holes(in: id) })
        }
    }

    /// The conversations of which something has been missing for a while; nil for none.
    func incompleteConversations() -> [IncompleteConversation]? {
        let ids = self.node.ask { $0.conversationsWithHoles }
        guard !ids.isEmpty else { return nil }
        return ids.prefix(IncompleteConversation.listed).map { self.incomplete($0) }
    }

    private func shown(_ missing: [MissingEntries]) -> (listed: [MissingResult], more: Int64?) {
        let listed = missing.prefix(MissingResult.listed).map { entries in
            MissingResult {
                $0.author = entries.author.description
                $0.authorName = self.markedName(of: entries.author)
                $0.count = Int64(clamping: entries.count)
                $0.holders = entries.holders.sorted().prefix(MissingResult.listed).map {
                    self.markedName(of: $0)
                }
            }
        }
        let more = missing.count - listed.count
        return (listed, more > 0 ? Int64(more) : nil)
    }
}
