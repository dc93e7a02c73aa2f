/// The method `mute`.
public enum MuteMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "mute", "Let nothing of a conversation ask for attention.", result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    /// Which conversation.
    public typealias Params = ConversationParams

    /// The conversation from here on.
    public typealias Result = ConversationResult
}
