/// The method `verify`.
package enum VerifyMethod: ControlMethod {
    package static let description = MethodDescription(
        "verify", "Compare keys with somebody, and take them for who they say they are.",
        result: "verification", errors: [.notFound, .ambiguous, .refused, .storageFailed],
        isChange: true)

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
                "What the other one reads aloud, in digits or words: they are verified if it is the same."
            )
        }
    }

    /// The code of the two people.
    package struct Result: ControlValue {
        /// The person, as it stands now.
        package var person = PersonResult()
        /// Thirty digits in groups of five, the same on both sides.
        package var digits = ""
        /// The same in eight words.
        package var words = ""

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("person", &self.person)
            visitor.field("digits", &self.digits)
            visitor.field("words", &self.words)
        }
    }
}
