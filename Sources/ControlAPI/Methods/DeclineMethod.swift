/// The method `decline`.
package enum DeclineMethod: ControlMethod {
    package static let description = MethodDescription(
        "decline",
        "Decline someone who asked to write to you; they are not told and cannot ask again.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true,
        details:
            "They are told nothing; writing to them accepts them. The text of the request is "
            + "in no file ten seconds later.",
        reasons: [
            "noRequest": "the person is not waiting"
        ])

    package typealias Params = PersonParams

    /// The person, as it stands now.
    package typealias Result = PersonResult
}
