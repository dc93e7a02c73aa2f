/// The method `react`.
package enum ReactMethod: ControlMethod {
    package static let description = MethodDescription(
        "react", "Say what you make of a message, with an emoji or a short word.",
        result: "reacted", errors: [.notFound, .ambiguous, .notMember, .refused, .storageFailed],
        access: .group, isChange: true)

    /// To which message, and how.
    package struct Params: ControlValue {
        /// Its id, or the beginning of it.
        package var id = ""
        /// An emoji, or a short word.
        package var sign = ""
        /// Whether the sign is taken back.
        package var withdraw: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .word, MessageParams.summary)
            visitor.field(
                "sign", &self.sign, .bytes(ControlLimits.signBytes), "An emoji, or a short word.")
            visitor.field(
                "withdraw", &self.withdraw, .any, "Whether you take the sign back that you gave.")
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
            "\"\(TerminalText.line(params.sign))\" is not one sign", reason: "badSign",
            remedy: "give an emoji or a short word without spaces",
            details: [JSON.Member("param", "sign")])
    }
}
