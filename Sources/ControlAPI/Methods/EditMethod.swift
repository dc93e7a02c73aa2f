/// The method `edit`.
package enum EditMethod: ControlMethod {
    package static let description = MethodDescription(
        "edit", "Edit your own message.", result: "edited",
        errors: [.notFound, .ambiguous, .notMember, .refused, .tooLarge, .storageFailed],
        isChange: true,
        details:
            "Everyone who has the message sees the new text in its old place; info has the "
            + "first one. Setting the text it already has does nothing.",
        reasons: [
            "notYours": "somebody else wrote it",
            "notEditable": "it is a location",
            "notErasable": "it is a join or leave",
            "gone": "its text was deleted or is not here",
            "notAMessage": "it is an edit or a reaction",
        ],
        example: ["id": "7k3mz2qd", "text": "lunch at 12:30"])

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
                "text", &self.text, .any, "The new text, 1 to 65000 bytes of UTF-8.")
        }
    }

    /// What was edited.
    package typealias Result = ChangedMessage

    /// Refuses a text that is empty or too long.
    package static func check(_ params: Params) throws(RPCError) {
        try SendMethod.check(text: params.text)
    }
}
