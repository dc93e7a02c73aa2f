/// The method `cancelTransfer`.
package enum CancelTransferMethod: ControlMethod {
    package static let description = MethodDescription(
        "cancelTransfer", "Cancel a download and delete the partial file.",
        result: "cancelled", errors: [.notFound, .ambiguous, .refused, .storageFailed],
        isChange: true,
        reasons: [
            "notFetching": "the file is not being downloaded"
        ])

    /// Which message's file.
    package typealias Params = MessageParams

    /// How far it was.
    package typealias Result = TransferResult
}
