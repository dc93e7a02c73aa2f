/// The method `erase`.
public enum EraseMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "erase", "Take back a message of your own, on every node that has it.",
        result: "erased", errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed],
        isChange: true)

    /// Which message.
    public typealias Params = MessageParams

    /// What was taken back.
    public typealias Result = ChangedMessage
}
