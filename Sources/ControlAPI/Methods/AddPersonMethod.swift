/// The method `addPerson`.
package enum AddPersonMethod: ControlMethod {
    package static let description = MethodDescription(
        "addPerson", "Add a contact; strangers cannot take over their name.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true,
        details:
            "Nobody becomes a contact by sharing a room or a realm. A person who asked to "
            + "write to the user is accepted.",
        reasons: [
            "ownPerson": "that is the user",
            "blocked": "the user has blocked them",
            "tooManyPeople": "4,096 contacts are the most",
            "stranger": "the name belongs to a stranger; use the key",
        ])

    package typealias Params = PersonParams

    /// The person, as it stands now.
    package typealias Result = PersonResult
}
