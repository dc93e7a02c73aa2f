/// The method `picture`.
package enum PictureMethod: ControlMethod {
    package static let description = MethodDescription(
        "picture", "Get a person's picture, or your own.", result: "picture",
        errors: [.notFound, .ambiguous, .refused, .storageFailed], access: .group,
        details:
            "Pictures of contacts and realm members are downloaded by themselves, a "
            + "stranger's by this call. Only the first bytes are checked: decode it where it "
            + "can do no harm.",
        reasons: [
            "noPicture": "the profile has none",
            "unavailable": "no linked peer has it",
            "notPicture": "what arrived is not a picture, and was deleted",
            "badDescriptor": "the descriptor cannot be written to",
        ])

    package struct Params: ControlValue {
        /// A person as they are written, with `@`; nil for the user.
        package var person: String?
        /// Whether the content is to be written into the descriptor that is passed with the request.
        package var output: Bool?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "person", &self.person, .word,
                "@name, or @ and at least 8 characters of an id; left out: yourself.")
            visitor.field(
                "output", &self.output, .any,
                "True: write the content to the descriptor passed with the request (SCM_RIGHTS); it is closed at the end."
            )
        }
    }

    package struct Result: ControlValue {
        package var id = ""
        package var name = ""
        package var type = PictureWord.png
        package var size: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("id", &self.id, .id, "The person's device.")
            visitor.field("name", &self.name, .any, "The person's name here.")
            visitor.field("type", &self.type, .any, "png, jpeg or webp.")
            visitor.field("size", &self.size, .any, "Its size in bytes.")
        }
    }
}
