internal import Engine

/// Texts that a message shares with the one before it, so that a page makes them once.
///
/// Names may change between turns, so it does not outlive one.
struct MessageTexts {
    var conversation: ConversationID?
    var conversationID = ""
    var conversationName = ""
    var author: PeerID?
    var authorID = ""
    var authorName = ""
}
