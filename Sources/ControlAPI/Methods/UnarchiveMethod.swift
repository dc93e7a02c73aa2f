/// The method `unarchive`.
public enum UnarchiveMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "unarchive", "List a conversation again that was put away.", result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    /// Which conversation.
    public typealias Params = ConversationParams

    /// The conversation from here on.
    public typealias Result = ConversationResult
}
