/// The method `block`.
public enum BlockMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "block", "Have nothing to do with somebody: no link, no request, nothing shown of them.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true)

    /// Whom.
    public typealias Params = PersonParams

    /// The person, as it stands now.
    public typealias Result = PersonResult
}
