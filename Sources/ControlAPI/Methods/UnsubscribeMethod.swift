/// The method `unsubscribe`.
public enum UnsubscribeMethod: ControlMethod {
    /// What it is.
    public static let description = MethodDescription(
        "unsubscribe", "End a subscription of this connection.", result: "unsubscribed",
        errors: [.notFound], access: .group)

    /// Which one.
    public struct Params: ControlValue {
        /// The number that `subscribe` returned on this connection.
        public var subscription: Int64 = 0

        /// Empty parameters.
        public init() {}

        /// Visits the fields in order.
        public mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "subscription", &self.subscription, .range(0...Int64.max),
                "The number that subscribe returned.")
        }
    }
}
