/// The method `unblock`.
public enum UnblockMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "unblock", "Block somebody no longer; what they wrote is shown again.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true)

    /// Whom.
    public typealias Params = PersonParams

    /// The person, as it stands now.
    public typealias Result = PersonResult
}
