/// The method `block`.
package enum BlockMethod: ControlMethod {
    package static let description = MethodDescription(
        "block", "Block a person: no link, no requests, and what they write is hidden.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true,
        details:
            "A request of theirs is dropped and no other is taken. Their messages are "
            + "stored and passed on, but neither shown, nor counted as unread, nor given to "
            + "subscriptions. It holds for all devices of the person.",
        reasons: [
            "ownPerson": "that is the user"
        ])

    package typealias Params = PersonParams

    /// The person, as it stands now.
    package typealias Result = PersonResult
}
