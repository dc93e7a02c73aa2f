/// The method `unblock`.
package enum UnblockMethod: ControlMethod {
    package static let description = MethodDescription(
        "unblock", "Unblock a person and show their messages again.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true,
        details:
            "They are not a contact then.",
        reasons: [
            "notBlocked": "they are not blocked"
        ])

    package typealias Params = PersonParams

    /// The person, as it stands now.
    package typealias Result = PersonResult
}
