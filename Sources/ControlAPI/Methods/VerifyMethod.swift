/// The method `verify`.
public enum VerifyMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "verify", "Compare keys with somebody, and take them for who they say they are.",
        result: "verification", errors: [.notFound, .ambiguous, .refused, .storageFailed],
        isChange: true)

    /// Whom, and what they read aloud.
    public struct Params: ControlValue {
        /// The person.
        public var person = ""
        /// The code that they see, in digits or in words; nil to be told it.
        public var code: String?

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "person", &self.person, .word, "A person: @name, or @ and 8 characters of a key.")
            visitor.field(
                "code", &self.code, .any,
                "What the other one reads aloud, in digits or words: they are verified if it is the same."
            )
        }
    }

    /// The code of the two people.
    public struct Result: ControlValue {
        /// The person, as it stands now.
        public var person = PersonResult()
        /// Thirty digits in groups of five, the same on both sides.
        public var digits = ""
        /// The same in eight words.
        public var words = ""

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("person", &self.person)
            visitor.field("digits", &self.digits)
            visitor.field("words", &self.words)
        }
    }
}
