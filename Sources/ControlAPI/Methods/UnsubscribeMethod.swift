/// The method `unsubscribe`.
package enum UnsubscribeMethod: ControlMethod {
    package static let description = MethodDescription(
        "unsubscribe", "End a subscription of this connection.", result: "unsubscribed",
        errors: [.notFound], access: .group,
        details:
            "Subscriptions end with their connection.",
        reasons: [
            "unknownSubscription": "the connection has no such subscription"
        ])

    package struct Params: ControlValue {
        /// The number that `subscribe` returned on this connection.
        package var subscription: Int64 = 0

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "subscription", &self.subscription, .range(0...Int64.max),
                "The number that subscribe returned.")
        }
    }
}
