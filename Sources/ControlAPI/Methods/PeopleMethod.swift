/// The method `people`.
package enum PeopleMethod: ControlMethod {
    package static let description = MethodDescription(
        "people", "List your contacts, or add or remove one.", result: "people",
        hasLargeAnswer: true, access: .group,
        details:
            "Contacts, verified and blocked people.")

    package typealias Params = PageParams

    /// The people whom the user knows, by key.
    package typealias Result = Page<PersonResult>
}
