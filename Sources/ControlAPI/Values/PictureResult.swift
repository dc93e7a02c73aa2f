/// What the picture of a person is, as its first bytes say.
public enum PictureWord: String, WordValue {
    /// PNG.
    case png
    /// JPEG.
    case jpeg
    /// WebP.
    case webp
}

/// The picture that somebody's profile names.
public struct PictureResult: ControlValue {
    /// What it is; nil while it is not here.
    public var type: PictureWord?
    /// Its bytes.
    public var size: Int64 = 0

    /// An empty value.
    public init() {}

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("type", &self.type)
        visitor.field("size", &self.size)
    }
}
