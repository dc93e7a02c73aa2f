/// What messages of some people take of the disk, and may.
public struct DiskShare: ControlValue {
    /// What they take, about, in bytes.
    public var bytes: Int64 = 0
    /// Beyond this their largest logs are taken off the disk.
    public var limit: Int64 = 0

    /// An empty value.
    public init() {}

    /// Visits the fields in order.
    public mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("bytes", &self.bytes)
        visitor.field("limit", &self.limit)
    }
}
