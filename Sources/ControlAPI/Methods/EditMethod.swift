/// The method `edit`.
package enum EditMethod: ControlMethod {
    package static let description = MethodDescription(
        "edit", "Give a message of your own another text.", result: "edited",
        errors: [.notFound, .ambiguous, .notMember, .refused, .tooLarge, .storageFailed],
        isChange: true)

    /// Which message, and its text from here on.
    package struct Params: ControlValue {
        /// Its id, or the beginning of it.
        package var id = ""
        /// The text, 1 to `ControlLimits.textBytes` bytes.
        package var text = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .word, MessageParams.summary)
            visitor.field(
                "text", &self.text, .any, "Its text from here on, 1 to 65000 bytes of UTF-8.")
        }
    }

    /// What was edited.
    package typealias Result = ChangedMessage

    /// Refuses a text that is empty or too long.
    package static func check(_ params: Params) throws(RPCError) {
        try SendMethod.check(text: params.text)
    }
}
