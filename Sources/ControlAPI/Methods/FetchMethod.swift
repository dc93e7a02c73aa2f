/// The method `fetch`.
package enum FetchMethod: ControlMethod {
    package static let description = MethodDescription(
        "fetch", "Fetch the file of a message, and get its content.", result: "fetched",
        errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed], access: .group)

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
                "True to have the content written into the descriptor passed with the request (SCM_RIGHTS), in order and as it comes; it is closed at the end."
            )
        }
    }

    /// How far it is; where it is not here it comes as soon as somebody is linked who has it.
    package typealias Result = TransferResult
}
