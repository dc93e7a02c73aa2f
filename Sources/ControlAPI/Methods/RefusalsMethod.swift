/// The method `refusals`.
package enum RefusalsMethod: ControlMethod {
    package static let description = MethodDescription(
        "refusals", "List recent refused connections.", result: "refusals",
        hasLargeAnswer: true,
        details:
            "The newest comes first; repeated refusals are counted in one element.")

    package typealias Params = PageParams

    /// The newest first.
    package typealias Result = Page<Refusal>

    /// A connection that came to nothing.
    package struct Refusal: ControlValue {
        package var time = Timestamp(milliseconds: 0)
        package var address: String?
        package var peer: String?
        package var reason = ""
        package var count: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("time", &self.time, .any, "When it last happened.")
            visitor.field("address", &self.address, .any, "The address at the other end.")
            visitor.field("peer", &self.peer, .id, "The identity at the other end, if proven.")
            visitor.field("reason", &self.reason, .any, "Why, in words.")
            visitor.field("count", &self.count, .any, "How many times.")
        }
    }
}
