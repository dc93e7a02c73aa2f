/// The method `accept`.
package enum AcceptMethod: ControlMethod {
    package static let description = MethodDescription(
        "accept", "Let somebody in who has written to you; they are known then.",
        result: "conversation", errors: [.notFound, .ambiguous, .refused, .storageFailed],
        isChange: true)

    package typealias Params = PersonParams

    /// The conversation, which is filled as what was written comes.
    package typealias Result = ConversationResult
}
