/// The method `conversations`.
package enum ConversationsMethod: ControlMethod {
    package static let description = MethodDescription(
        "conversations", "List your conversations, with unread messages counted.",
        result: "conversations", errors: [.storageFailed], hasLargeAnswer: true, access: .group,
        details:
            "To keep such a list up to date, subscribe to message and conversation.")

    package typealias Params = PageParams

    /// The conversations that this node is in, by name.
    package typealias Result = Page<ConversationResult>
}
