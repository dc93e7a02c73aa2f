/// The method `decline`.
package enum DeclineMethod: ControlMethod {
    package static let description = MethodDescription(
        "decline", "Turn somebody down who has written to you; they are not told, and ask no more.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true)

    package typealias Params = PersonParams

    /// The person, as it stands now.
    package typealias Result = PersonResult
}
