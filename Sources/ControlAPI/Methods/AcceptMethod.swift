/// The method `accept`.
package enum AcceptMethod: ControlMethod {
    package static let description = MethodDescription(
        "accept",
        "Accept someone who asked to write to you, who becomes a contact, or a group you were invited to.",
        result: "conversation", errors: [.notFound, .ambiguous, .refused, .storageFailed],
        isChange: true,
        details:
            "Their messages arrive as soon as they are linked.",
        reasons: [
            "noRequest": "the person is not waiting",
            "notInRealm": "the user is not in the group's realm",
            "tooManyRooms": "the user is in too many rooms",
        ])

    package typealias Params = RequesterParams

    /// The conversation, which is filled as what was written comes.
    package typealias Result = ConversationResult
}
