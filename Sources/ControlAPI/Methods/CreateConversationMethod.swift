/// The method `createConversation`.
public enum CreateConversationMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "createConversation",
        "Begin the conversation with one person, where it has not begun; they are known then.",
        result: "conversation", errors: [.notFound, .ambiguous, .refused, .storageFailed])

    /// With whom.
    public typealias Params = PersonParams

    /// The conversation, which may have been there.
    public typealias Result = ConversationResult
}
