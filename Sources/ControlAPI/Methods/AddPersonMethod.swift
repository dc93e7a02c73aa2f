/// The method `addPerson`.
public enum AddPersonMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "addPerson", "Know somebody: their name gives way to no stranger's.",
        result: "person", errors: [.notFound, .ambiguous, .refused, .storageFailed], isChange: true)

    /// Whom.
    public typealias Params = PersonParams

    /// The person, as it stands now.
    public typealias Result = PersonResult
}
