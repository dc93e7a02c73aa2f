/// What messages of some people take of the disk, and may.
package struct DiskShare: ControlValue {
    /// What they take, about, in bytes.
    package var bytes: Int64 = 0
    /// Beyond this their largest logs are taken off the disk.
    package var limit: Int64 = 0

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("bytes", &self.bytes)
        visitor.field("limit", &self.limit)
    }
}
