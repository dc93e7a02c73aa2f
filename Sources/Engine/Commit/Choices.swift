internal import Formats

/// What the user has asked for that stands once it is on disk.
///
/// What the disk refuses has not happened: who asked is told so, and nothing of it is held or tried again.
struct Choices: Sendable {
    var profile: Record?
    /// What is changed of conversations in the user's list.
    var arrangements: [ConversationID: ArrangementChange] = [:]
    /// How much of what is said in conversations is kept from here on.
    var retentions: [ConversationID: Retention] = [:]
    /// Up to where the user has read conversations.
    private(set) var reads: [ConversationID: Cursor] = [:]
    /// Who is turned down.
    var declined: [PersonID: DirectRequest] = [:]
    /// Of whom nothing is remembered any longer.
    var forgotten: Set<PeerID> = []

    var isEmpty: Bool {
        self.profile == nil && self.arrangements.isEmpty && self.retentions.isEmpty
            && self.reads.isEmpty && self.declined.isEmpty && self.forgotten.isEmpty
    }

    /// Takes a change of what is said of a conversation, behind others of it.
    mutating func arrange(_ conversation: ConversationID, _ change: ArrangementChange) {
        self.arrangements[conversation, default: ArrangementChange()].add(change)
    }

    /// Takes up to where the user has read a conversation.
    mutating func addRead(_ conversation: ConversationID, through cursor: Cursor) {
        self.reads[conversation] = max(self.reads[conversation] ?? cursor, cursor)
    }
}
