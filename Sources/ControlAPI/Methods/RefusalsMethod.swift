/// The method `refusals`.
public enum RefusalsMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "refusals", "List the latest connections that came to nothing.", result: "refusals",
        hasLargeAnswer: true)

    /// Which part.
    public typealias Params = PageParams

    /// The newest first.
    public typealias Result = Page<Refusal>

    /// A connection that came to nothing.
    public struct Refusal: ControlValue {
        /// When it happened last.
        public var time = Timestamp(milliseconds: 0)
        /// The address at the other end.
        public var address: String?
        /// The identity at the other end, when it was proven.
        public var peer: String?
        /// Why.
        public var reason = ""
        /// How often.
        public var count: Int64 = 0

        /// An empty value.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("time", &self.time)
            visitor.field("address", &self.address)
            visitor.field("peer", &self.peer, .id)
            visitor.field("reason", &self.reason)
            visitor.field("count", &self.count)
        }
    }
}
