/// The method `people`.
public enum PeopleMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "people", "List the people you know, or change who is one of them.", result: "people",
        hasLargeAnswer: true, access: .group)

    /// Which part.
    public typealias Params = PageParams

    /// The people whom the user knows, by key.
    public typealias Result = Page<PersonResult>
}
