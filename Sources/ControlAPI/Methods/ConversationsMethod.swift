/// The method `conversations`.
public enum ConversationsMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "conversations", "List your conversations, with what is unread.",
        result: "conversations", errors: [.storageFailed], hasLargeAnswer: true)

    /// All conversations that this node is in.
    public typealias Result = [ConversationResult]
}
