/// The method `block`.
package enum BlockMethod: ControlMethod {
    package static let description = MethodDescription(
        "block", "Have nothing to do with somebody: no link, no request, nothing shown of them.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true)

    package typealias Params = PersonParams

    /// The person, as it stands now.
    package typealias Result = PersonResult
}
