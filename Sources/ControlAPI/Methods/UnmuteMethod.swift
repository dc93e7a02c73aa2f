/// The method `unmute`.
public enum UnmuteMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "unmute", "Let a conversation ask for attention again.", result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    /// Which conversation.
    public typealias Params = ConversationParams

    /// The conversation from here on.
    public typealias Result = ConversationResult
}
