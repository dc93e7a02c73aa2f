/// The method `decline`.
package enum DeclineMethod: ControlMethod {
    package static let description = MethodDescription(
        "decline",
        "Decline someone who asked to write to you, or a group; they are not told and cannot ask again.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true,
        details:
            "They are told nothing; writing to them accepts them. The text of the request is "
            + "in no file ten seconds later. To a group an admin can invite you again. The result for a group is who brought the invitation.",
        reasons: [
            "noRequest": "the person is not waiting"
        ])

    package typealias Params = RequesterParams

    /// The person, as it stands now; of a group who has brought the invitation.
    package typealias Result = PersonResult
}
