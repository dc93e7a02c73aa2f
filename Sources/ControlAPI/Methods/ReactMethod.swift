/// The method `react`.
package enum ReactMethod: ControlMethod {
    package static let description = MethodDescription(
        "react", "React to a message with an emoji or a short word.",
        result: "reacted", errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed],
        access: .group, isChange: true,
        details:
            "A person counts once for each emoji or word, on however many devices.",
        reasons: [
            "badSign": "not one emoji or word",
            "gone": "its text was deleted or is not here",
            "notAMessage": "it is an edit or a reaction",
            "notErasable": "it is a join or leave",
        ],
        example: ["id": "7k3mz2qd", "sign": "+1"])

    /// To which message, and how.
    package struct Params: ControlValue {
        /// Its id, or the beginning of it.
        package var id = ""
        /// An emoji, or a short word.
        package var sign = ""
        /// Whether to remove the reaction.
        package var remove: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .word, MessageParams.summary)
            visitor.field(
                "sign", &self.sign, .bytes(ControlLimits.signBytes), "An emoji, or a short word.")
            visitor.field(
                "remove", &self.remove, .any, "Whether to remove your reaction.")
        }
    }

    /// What it is about.
    package typealias Result = ChangedMessage

    /// Refuses a sign that nobody could read in a line.
    package static func check(_ params: Params) throws(RPCError) {
        let isOneWord = params.sign.unicodeScalars.allSatisfy {
            !$0.properties.isWhitespace && !TerminalText.isHidden($0)
        }
        guard !isOneWord else { return }
        throw .invalidParams(
            "\"\(TerminalText.line(params.sign))\" is not one emoji or word", reason: "badSign",
            remedy: "give an emoji or a short word without spaces",
            details: [JSON.Member("param", "sign")])
    }
}
