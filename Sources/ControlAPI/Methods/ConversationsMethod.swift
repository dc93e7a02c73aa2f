/// The method `conversations`.
public enum ConversationsMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "conversations", "List your conversations, with what is unread.",
        result: "conversations", errors: [.storageFailed], hasLargeAnswer: true, access: .group)

    /// Which part.
    public typealias Params = PageParams

    /// The conversations that this node is in, by name.
    public typealias Result = Page<ConversationResult>
}
