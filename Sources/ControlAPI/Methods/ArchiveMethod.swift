/// The method `archive`.
public enum ArchiveMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "archive", "Put a conversation away: it stays, and is not listed.", result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    /// Which conversation.
    public typealias Params = ConversationParams

    /// The conversation from here on.
    public typealias Result = ConversationResult
}
