/// The method `refusals`.
package enum RefusalsMethod: ControlMethod {
    package static let description = MethodDescription(
        "refusals", "List the latest connections that came to nothing.", result: "refusals",
        hasLargeAnswer: true)

    package typealias Params = PageParams

    /// The newest first.
    package typealias Result = Page<Refusal>

    /// A connection that came to nothing.
    package struct Refusal: ControlValue {
        /// When it happened last.
        package var time = Timestamp(milliseconds: 0)
        /// The address at the other end.
        package var address: String?
        /// The identity at the other end, when it was proven.
        package var peer: String?
        package var reason = ""
        /// How often.
        package var count: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("time", &self.time)
            visitor.field("address", &self.address)
            visitor.field("peer", &self.peer, .id)
            visitor.field("reason", &self.reason)
            visitor.field("count", &self.count)
        }
    }
}
