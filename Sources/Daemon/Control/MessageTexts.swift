internal import ControlAPI
internal import Engine

/// Texts that a message shares with the one before it, or a room with others, so that a page or list
/// makes them once.
///
/// Names may change between turns, so it does not outlive one.
struct MessageTexts {
    var conversation: ConversationID?
    var conversationID = ""
    var conversationName = ""
    var author: PeerID?
    var authorID = ""
    var authorName = ""
    var members: [PeerID: ConversationResult.Member] = [:]
}
