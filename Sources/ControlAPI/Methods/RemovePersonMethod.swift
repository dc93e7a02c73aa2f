/// The method `removePerson`.
package enum RemovePersonMethod: ControlMethod {
    package static let description = MethodDescription(
        "removePerson", "Remove a contact.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true,
        reasons: [
            "notKnown": "they are not a contact"
        ])

    package typealias Params = PersonParams

    /// The person, as it stands now.
    package typealias Result = PersonResult
}
