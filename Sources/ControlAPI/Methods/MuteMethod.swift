/// The method `mute`.
package enum MuteMethod: ControlMethod {
    package static let description = MethodDescription(
        "mute", "Let nothing of a conversation ask for attention.", result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    package typealias Params = ConversationParams

    package typealias Result = ConversationResult
}
