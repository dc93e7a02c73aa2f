/// The method `accept`.
package enum AcceptMethod: ControlMethod {
    package static let description = MethodDescription(
        "accept", "Accept someone who asked to write to you; they become a contact.",
        result: "conversation", errors: [.notFound, .ambiguous, .refused, .storageFailed],
        isChange: true,
        details:
            "Their messages arrive as soon as they are linked.",
        reasons: [
            "noRequest": "the person is not waiting"
        ])

    package typealias Params = PersonParams

    /// The conversation, which is filled as what was written comes.
    package typealias Result = ConversationResult
}
