/// The method `cancelTransfer`.
package enum CancelTransferMethod: ControlMethod {
    package static let description = MethodDescription(
        "cancelTransfer", "Fetch a file no longer, and remove what has come of it.",
        result: "cancelled", errors: [.notFound, .ambiguous, .refused, .storageFailed],
        isChange: true)

    /// Which message's file.
    package typealias Params = MessageParams

    /// How far it was.
    package typealias Result = TransferResult
}
