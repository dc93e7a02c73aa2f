/// The method `addPerson`.
package enum AddPersonMethod: ControlMethod {
    package static let description = MethodDescription(
        "addPerson", "Know somebody: their name gives way to no stranger's.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true)

    package typealias Params = PersonParams

    /// The person, as it stands now.
    package typealias Result = PersonResult
}
