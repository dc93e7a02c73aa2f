/// The method `delete`.
package enum DeleteMethod: ControlMethod {
    package static let description = MethodDescription(
        "delete", "Delete your own message from every disk that has it.",
        result: "deleted", errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed],
        isChange: true,
        details:
            "Peers that hear of it delete the text at once and have it in no file ten "
            + "seconds later; offline peers do so when they are linked. The log still records "
            + "that there was a message. Anyone who has read or copied it has it. Deleting "
            + "again has no effect.",
        reasons: [
            "notYours": "somebody else wrote it",
            "notErasable": "it is a join or leave",
            "unknownMessage": "there is no such message",
            "ambiguousMessage": "several ids begin with that",
        ],
        example: ["id": "7k3mz2qd"])

    package typealias Params = MessageParams

    /// The deleted message.
    package typealias Result = ChangedMessage
}
