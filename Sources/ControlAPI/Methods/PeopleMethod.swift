/// The method `people`.
package enum PeopleMethod: ControlMethod {
    package static let description = MethodDescription(
        "people", "List the people you know, or change who is one of them.", result: "people",
        hasLargeAnswer: true, access: .group)

    package typealias Params = PageParams

    /// The people whom the user knows, by key.
    package typealias Result = Page<PersonResult>
}
