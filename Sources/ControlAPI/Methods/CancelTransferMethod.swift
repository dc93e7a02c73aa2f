/// The method `cancelTransfer`.
public enum CancelTransferMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "cancelTransfer", "Fetch a file no longer, and remove what has come of it.",
        result: "cancelled", errors: [.notFound, .ambiguous, .refused, .storageFailed],
        isChange: true)

    /// Which message's file.
    public typealias Params = MessageParams

    /// How far it was.
    public typealias Result = TransferResult
}
