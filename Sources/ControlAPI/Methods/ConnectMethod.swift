/// The method `connect`.
package enum ConnectMethod: ControlMethod {
    package static let description = MethodDescription(
        "connect", "Dial a peer that discovery does not find, and remember it.",
        result: "dialling", errors: [.notFound, .refused], isChange: true)

    package struct Params: ControlValue {
        /// `HOST:PORT`, or `KEY@HOST:PORT` to demand that identity there.
        package var address = ""
        /// How long to wait for a link, in milliseconds; nil to be answered at once.
        package var waitMilliseconds: Int64?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field(
                "address", &self.address, .word,
                "HOST:PORT, [IPv6]:PORT, or KEY@ before either to demand that identity.")
            visitor.field(
                "waitMilliseconds", &self.waitMilliseconds,
                .range(1...ControlLimits.waitMilliseconds),
                "How long to wait until there is a link or the dial has failed; left out: answer at once."
            )
        }
    }

    /// What is dialled, or was reached.
    package struct Result: ControlValue {
        /// The numeric address.
        package var address = ""
        /// Who is linked there; nil when nobody waited for a link.
        package var peer: String?

        package init() {}

        package mutating func fields(_ visitor: inout some FieldVisitor) {
            visitor.field("address", &self.address)
            visitor.field("peer", &self.peer, .id)
        }
    }
}
