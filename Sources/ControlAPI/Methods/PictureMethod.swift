/// The method `picture`.
public enum PictureMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "picture", "Get the picture of somebody, or your own.", result: "picture",
        errors: [.notFound, .ambiguous, .refused, .storageFailed], access: .group)

    /// Whose picture.
    public struct Params: ControlValue {
        /// A person as they are written, with `@`; nil for the user.
        public var person: String?
        /// Whether the content is to be written into the descriptor that is passed with the request.
        public var output: Bool?

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "person", &self.person, .word,
                "@name, or @ and 8 or more characters of an id; left out: yourself.")
            visitor.field(
                "output", &self.output, .any,
                "True to have the content written into the descriptor passed with the request (SCM_RIGHTS); it is closed at the end."
            )
        }
    }

    /// A picture that is here.
    public struct Result: ControlValue {
        /// Whose it is.
        public var id = ""
        /// The name that they go by here.
        public var name = ""
        /// What it is.
        public var type = PictureWord.png
        /// Its bytes.
        public var size: Int64 = 0

        /// An empty result.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("name", &self.name)
            visitor.field("type", &self.type)
            visitor.field("size", &self.size)
        }
    }
}
