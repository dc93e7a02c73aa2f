/// The method `unmute`.
package enum UnmuteMethod: ControlMethod {
    package static let description = MethodDescription(
        "unmute", "Unmute a conversation.", result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    package typealias Params = ConversationParams

    package typealias Result = ConversationResult
}
