/// The method `unarchive`.
package enum UnarchiveMethod: ControlMethod {
    package static let description = MethodDescription(
        "unarchive", "List an archived conversation again.", result: "conversation",
        errors: [.notFound, .ambiguous, .notMember, .storageFailed], isChange: true)

    package typealias Params = ConversationParams

    package typealias Result = ConversationResult
}
