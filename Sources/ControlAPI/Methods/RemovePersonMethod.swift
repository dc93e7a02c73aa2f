/// The method `removePerson`.
package enum RemovePersonMethod: ControlMethod {
    package static let description = MethodDescription(
        "removePerson", "Know somebody no longer.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true)

    package typealias Params = PersonParams

    /// The person, as it stands now.
    package typealias Result = PersonResult
}
