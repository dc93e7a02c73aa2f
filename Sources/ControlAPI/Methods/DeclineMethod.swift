/// The method `decline`.
public enum DeclineMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "decline", "Turn somebody down who has written to you; they are not told, and ask no more.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true)

    /// Whom.
    public typealias Params = PersonParams

    /// The person, as it stands now.
    public typealias Result = PersonResult
}
