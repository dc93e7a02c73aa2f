/// The method `conversations`.
package enum ConversationsMethod: ControlMethod {
    package static let description = MethodDescription(
        "conversations", "List your conversations, with what is unread.",
        result: "conversations", errors: [.storageFailed], hasLargeAnswer: true, access: .group)

    package typealias Params = PageParams

    /// The conversations that this node is in, by name.
    package typealias Result = Page<ConversationResult>
}
