/// The method `picture`.
package enum PictureMethod: ControlMethod {
    package static let description = MethodDescription(
        "picture", "Get the picture of somebody, or your own.", result: "picture",
        errors: [.notFound, .ambiguous, .refused, .storageFailed], access: .group)

    package struct Params: ControlValue {
        /// A person as they are written, with `@`; nil for the user.
        package var person: String?
        /// Whether the content is to be written into the descriptor that is passed with the request.
        package var output: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "person", &self.person, .word,
                "@name, or @ and 8 or more characters of an id; left out: yourself.")
            visitor.field(
                "output", &self.output, .any,
                "True to have the content written into the descriptor passed with the request (SCM_RIGHTS); it is closed at the end."
            )
        }
    }

    package struct Result: ControlValue {
        package var id = ""
        /// The name that they go by here.
        package var name = ""
        package var type = PictureWord.png
        package var size: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id)
            visitor.field("name", &self.name)
            visitor.field("type", &self.type)
            visitor.field("size", &self.size)
        }
    }
}
