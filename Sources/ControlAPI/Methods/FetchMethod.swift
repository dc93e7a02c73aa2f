/// The method `fetch`.
package enum FetchMethod: ControlMethod {
    package static let description = MethodDescription(
        "fetch", "Fetch the file of a message.", result: "fetched",
        errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed], access: .group,
        details:
            "If the file is not here, it is downloaded from linked peers that have it, now "
            + "or later. The first descriptor waiting on the connection (SCM_RIGHTS, unix(7)) "
            + "goes to the first request that takes one; at most 16 wait. If output ends "
            + "before size bytes, transfers says why.",
        reasons: [
            "noDescriptor": "output, but no descriptor was passed",
            "badDescriptor": "the descriptor cannot be written to",
            "noFile": "the message has no file",
            "gone": "its message was deleted",
        ],
        example: ["id": "7k3mz2qd", "output": true])

    /// Which file.
    package struct Params: ControlValue {
        /// The message's id, or the beginning of it.
        package var id = ""
        /// Whether the content is to be written into the descriptor that is passed with the request.
        package var output: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .word, MessageParams.summary)
            visitor.field(
                "output", &self.output, .any,
                "True: write the content to the descriptor passed with the request (SCM_RIGHTS), in order and as it arrives; it is closed at the end."
            )
        }
    }

    /// How far it is; where it is not here it comes as soon as somebody is linked who has it.
    package typealias Result = TransferResult
}
