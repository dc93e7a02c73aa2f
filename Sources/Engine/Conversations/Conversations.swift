internal import Formats

/// The conversations that are known here, who waits to begin one, and whose logs have room in them.
struct Conversations: Sendable {
    var table = Table<ConversationID, Conversation>()
    var privates = PrivateConversations()
    var requests = DirectRequests([])
    /// Authors who would not give way, for whom a log found no room while others waited for the disk, or while it was
    /// going off the disk itself.
    var roomless: Set<PeerID> = []
    var diskShares = DiskShares()
    /// The keys of two people one of whom has revoked a device.
    var directKeys = DirectKeys()

    /// Whether one side of a direct conversation has not let the other in: then both know all that there
    /// is to know until it does, and says so by sharing it anew.
    func isWaitingToBeLetIn(
        _ id: ConversationID, on link: LinkID, of links: LinkTable
    ) -> Bool {
        guard self.table[known: id].kind.direct != nil else { return false }
        return self.table[known: id].isRequest || links[link].shared[known: id].refusesAll
    }

    // MARK: Logs

    func hasLog(_ key: LogKey) -> Bool {
        self.table.has(key.conversation)
            && self.table[known: key.conversation].logs.has(key.name)
    }

    /// Everybody of whom there is a log.
    var authors: Set<PeerID> {
        var authors: Set<PeerID> = []
        for conversation in self.table.values {
            authors.formUnion(conversation.logs.keys.map(\.author))
        }
        return authors
    }

    /// What each log takes of the disk, and whose it is.
    func diskClaims(_ tiers: [PeerID: Tier]) -> [DiskShares.Claim] {
        var claims: [DiskShares.Claim] = []
        for (id, conversation) in self.table {
            for (name, log) in conversation.logs {
                let key = LogKey(conversation: id, name: name)
                claims.append(
                    DiskShares.Claim(
                        key: key, tier: tiers[name.author] ?? .stranger, source: log.charge.source,
                        bytes: self.diskShares.bytes(of: key), isForked: log.forkPoint != nil))
            }
        }
        return claims
    }
}
