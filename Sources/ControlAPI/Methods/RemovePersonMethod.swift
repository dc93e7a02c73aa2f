/// The method `removePerson`.
public enum RemovePersonMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "removePerson", "Know somebody no longer.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true)

    /// Whom.
    public typealias Params = PersonParams

    /// The person, as it stands now.
    public typealias Result = PersonResult
}
