/// The method `archive`.
package enum ArchiveMethod: ControlMethod {
    package static let description = MethodDescription(
        "archive", "Archive a conversation: hide it from the list.", result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    package typealias Params = ConversationParams

    package typealias Result = ConversationResult
}
