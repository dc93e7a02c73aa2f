/// The conversations that are known here, who waits to begin one, and whose logs have room in them.
struct Conversations: Sendable {
    var table = Table<ConversationID, Conversation>()
    var privates = PrivateConversations()
    var requests = DirectRequests([])
    /// Authors who would not give way, for whom a log found no room while others waited for the disk.
    var roomless: Set<PeerID> = []
    var diskShares = DiskShares()
}
