package import Formats

/// What a line of the log is about, for programs that read logs by their fields.
package struct LogSubject: Hashable, Sendable {
    /// Somebody.
    package var peer: PeerID?
    package var conversation: ConversationID?
    /// An alert that is raised.
    package var alert: Alert.Code?

    /// Whether it says nothing.
    package var isEmpty: Bool { self.peer == nil && self.conversation == nil && self.alert == nil }

    package init(
        peer: PeerID? = nil, conversation: ConversationID? = nil, alert: Alert.Code? = nil
    ) {
        self.peer = peer
        self.conversation = conversation
        self.alert = alert
    }
}
