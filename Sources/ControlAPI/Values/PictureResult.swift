/// What the picture of a person is, as its first bytes say.
package enum PictureWord: String, WordValue {
    case png
    case jpeg
    case webp
}

/// The picture that somebody's profile names.
package struct PictureResult: ControlValue {
    package var type: PictureWord?
    package var size: Int64 = 0

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("type", &self.type, .any, "png, jpeg or webp; left out while it is not here.")
        visitor.field("size", &self.size, .any, "Its size in bytes.")
    }
}
