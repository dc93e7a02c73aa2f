/// The method `verify`.
package enum VerifyMethod: ControlMethod {
    package static let description = MethodDescription(
        "verify", "Compare keys with a person, to be sure who they are.",
        result: "verification", errors: [.notFound, .ambiguous, .refused, .storageFailed],
        isChange: true,
        details:
            "Without code, shows the code of the two; with it, compares.",
        reasons: [
            "codesDiffer": "it is not the code of the two; nothing changes",
            "keysUnknown": "their keys never arrived here",
        ],
        example: ["person": "@ada"])

    /// Whom, and what they read aloud.
    package struct Params: ControlValue {
        package var person = ""
        /// The code that they see, in digits or in words; nil to be told it.
        package var code: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "person", &self.person, .word, "A person: @name, or @ and 8 characters of a key.")
            visitor.field(
                "code", &self.code, .any,
                "The code that the other person reads aloud, digits or words: if it matches, they are verified."
            )
        }
    }

    /// The code of the two people.
    package struct Result: ControlValue {
        package var person = PersonResult()
        package var digits = ""
        package var words = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("person", &self.person, .any, "The person as stored now.")
            visitor.field(
                "digits", &self.digits, .any,
                "Thirty digits in groups of five, the same on both sides.")
            visitor.field("words", &self.words, .any, "The same code as eight words.")
        }
    }
}
