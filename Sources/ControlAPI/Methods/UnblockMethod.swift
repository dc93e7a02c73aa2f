/// The method `unblock`.
package enum UnblockMethod: ControlMethod {
    package static let description = MethodDescription(
        "unblock", "Block somebody no longer; what they wrote is shown again.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true)

    package typealias Params = PersonParams

    /// The person, as it stands now.
    package typealias Result = PersonResult
}
