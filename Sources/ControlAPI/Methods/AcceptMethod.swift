/// The method `accept`.
public enum AcceptMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "accept", "Let somebody in who has written to you; they are known then.",
        result: "conversation", errors: [.notFound, .ambiguous, .refused, .storageFailed],
        isChange: true)

    /// Whom.
    public typealias Params = PersonParams

    /// The conversation, which is filled as what was written comes.
    public typealias Result = ConversationResult
}
