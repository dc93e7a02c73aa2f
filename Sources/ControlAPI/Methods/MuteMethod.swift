/// The method `mute`.
package enum MuteMethod: ControlMethod {
    package static let description = MethodDescription(
        "mute", "Mute a conversation.", result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    package typealias Params = ConversationParams

    package typealias Result = ConversationResult
}
