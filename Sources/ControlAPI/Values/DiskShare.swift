/// What messages of some people take of the disk, and may.
package struct DiskShare: ControlValue {
    package var bytes: Int64 = 0
    package var limit: Int64 = 0

    package init() {}

    package mutating func fields(_ visitor: inout some FieldVisitor) {
        visitor.field("bytes", &self.bytes, .any, "About how much is used, in bytes.")
        visitor.field(
            "limit", &self.limit, .any,
            "The most that may be used; beyond it the largest logs are deleted.")
    }
}
