/// What a line of the log is about, for programs that read logs by their fields.
public struct LogSubject: Hashable, Sendable {
    /// Somebody.
    public var peer: PeerID?
    /// A conversation.
    public var conversation: ConversationID?
    /// An alert that is raised.
    public var alert: Alert.Code?

    /// Whether it says nothing.
    public var isEmpty: Bool { self.peer == nil && self.conversation == nil && self.alert == nil }

    /// Makes it from its parts.
    public init(
        peer: PeerID? = nil, conversation: ConversationID? = nil, alert: Alert.Code? = nil
    ) {
        self.peer = peer
        self.conversation = conversation
        self.alert = alert
    }
}
