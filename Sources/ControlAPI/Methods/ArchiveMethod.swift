/// The method `archive`.
package enum ArchiveMethod: ControlMethod {
    package static let description = MethodDescription(
        "archive", "Put a conversation away: it stays, and is not listed.", result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    package typealias Params = ConversationParams

    package typealias Result = ConversationResult
}
