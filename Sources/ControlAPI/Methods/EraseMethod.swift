/// The method `erase`.
package enum EraseMethod: ControlMethod {
    package static let description = MethodDescription(
        "erase", "Take back a message of your own, on every node that has it.",
        result: "erased", errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed],
        isChange: true)

    package typealias Params = MessageParams

    /// What was taken back.
    package typealias Result = ChangedMessage
}
